:- module(oracle_failing, [why_not/4]).
:- use_module(library(lists)).
:- use_module(oracle(proof)).

/*  Why a goal has no solution: the way down from it to the first goal that fails on its best attempt.

    The best attempt at a predicate is the clause whose body came farthest, counted in goals that
    succeeded; of equals, the first. Each step is step(Goal, Ref, Why): Ref the clause of the attempt or -,
    Why one of

      body             a goal of that clause's body fails: the next step
      no_clause        the text has clauses for it, none with such a head
      undefined        no clauses at all
      false            a system predicate or a comparison that does not hold
      holds            a negation whose goal can be proved
      case             forall/2 with a case (the next step) in which the action fails
      branch           a condition or a disjunction: the next step
      deeper           the explanation stops here
*/

:- meta_predicate why_not(0, +, -, +).

%!  why_not(:Goal, +Limit, -Outcome, +Depth)
%
%   Outcome is derivable, inferences, error(Ball) or fails(Steps).

why_not(Module:Goal, Limit, Outcome, Depth) :-
    catch(call_with_inference_limit(why(Goal, ctx(Module, steps(0)), Depth, Found), Limit, Result),
          Ball, true),
    (   nonvar(Ball)
    ->  Outcome = error(Ball)
    ;   Result == inference_limit_exceeded
    ->  Outcome = inferences
    ;   Outcome = Found
    ).

why(Goal, Ctx, Depth, Outcome) :-
    (   \+ \+ solve_local(Goal, Ctx, _, [])
    ->  Outcome = derivable
    ;   steps(Goal, Ctx, Depth, Steps)
    ->  Outcome = fails(Steps)
    ).

steps(Goal, _, Depth, [step(Goal, -, deeper)]) :-
    Depth =< 0,
    !.
steps(Goal, Ctx, Depth0, Steps) :-
    Depth is Depth0-1,
    explain(Goal, Ctx, Depth, Steps).

explain(Goal, Ctx, Depth, Steps) :-
    combined(Goal),
    !,
    farthest([attempt(Goal, -)], Ctx, attempt(_, Next, _)),
    (   Next == Goal
    ->  Steps = [step(Goal, -, false)]
    ;   steps(Next, Ctx, Depth, Steps)
    ).
explain((C -> A ; B), Ctx, Depth, [step((C -> A ; B), -, branch)|Steps]) :-
    !,
    (   solve_local(C, Ctx, _, [])
    ->  steps(A, Ctx, Depth, Steps)
    ;   steps(B, Ctx, Depth, Steps)
    ).
explain((C -> A), Ctx, Depth, [step((C -> A), -, branch)|Steps]) :-
    !,
    (   solve_local(C, Ctx, _, [])
    ->  steps(A, Ctx, Depth, Steps)
    ;   steps(C, Ctx, Depth, Steps)
    ).
explain((C *-> A), Ctx, Depth, Steps) :-
    !,
    explain((C, A), Ctx, Depth, Steps).
explain((C *-> A ; _), Ctx, Depth, Steps) :-
    solve_local(C, Ctx, _, []),
    !,
    explain((C, A), Ctx, Depth, Steps).
explain((_ *-> _ ; B), Ctx, Depth, Steps) :-
    !,
    steps(B, Ctx, Depth, Steps).
explain((A ; B), Ctx, Depth, [step((A ; B), -, branch)|Steps]) :-
    !,
    farthest([attempt(A, -), attempt(B, -)], Ctx, attempt(_, Next, _)),
    steps(Next, Ctx, Depth, Steps).
explain(\+ G, _, _, [step(\+ G, -, holds)]) :- !.
explain(Goal, Ctx, Depth, [step(Goal, Ref, Why)|Steps]) :-
    own_predicate(Goal, Ctx),
    !,
    explain_own(Goal, Ctx, Depth, Ref, Why, Steps).
explain(not(G), _, _, [step(not(G), -, holds)]) :- !.
explain(call(G), Ctx, Depth, Steps) :- callable(G), !, steps(G, Ctx, Depth, Steps).
explain(once(G), Ctx, Depth, Steps) :- callable(G), !, steps(G, Ctx, Depth, Steps).
explain(forall(C, A), Ctx, Depth, [step(forall(C, A), -, case)|Steps]) :-
    solve_local(C, Ctx, _, []),
    \+ solve_local(A, Ctx, _, []),
    !,
    steps(A, Ctx, Depth, Steps).
explain(Goal, Ctx, _, [step(Goal, -, Why)]) :-
    Ctx = ctx(Module, _),
    (   predicate_property(Module:Goal, visible)
    ->  Why = false
    ;   Why = undefined
    ).

combined((_, _)).

explain_own(Goal, Ctx, Depth, Ref, Why, Steps) :-
    Ctx = ctx(Module, _),
    findall(attempt(Body, Ref0), clause(Module:Goal, Body, Ref0), Attempts),
    (   Attempts == []
    ->  Ref = (-), Why = no_clause, Steps = []
    ;   farthest(Attempts, Ctx, attempt(Ref, Next, _)),
        Why = body,
        steps(Next, Ctx, Depth, Steps)
    ).

%   The attempt whose conjunction came farthest, with the goal where it stopped as it then was.

farthest(Attempts, Ctx, attempt(Ref, Next, Reached)) :-
    findall(Minus-attempt(Ref0, Next0, Reached0),
            ( member(attempt(Body, Ref0), Attempts),
              reach(Body, Ctx, Reached0, Next0),
              Minus is -Reached0 ),
            Pairs0),
    keysort(Pairs0, [_-attempt(Ref, Next, Reached)|_]).

reach(Body, Ctx, Reached, Next) :-
    conjuncts(Body, Goals, []),
    Best = best(-1, none),
    ignore(walk(Goals, 0, Ctx, Best)),
    Best = best(Reached, Next),
    Reached >= 0.

%   Fails always: it records the farthest goal that had no solution. A cut commits as it does in a clause.

walk(Goals, Index, Ctx, Best) :-
    prolog_current_choice(Cut),
    walk(Goals, Index, Ctx, Cut, Best).

walk([], _, _, _, _).
walk([!|Goals], Index0, Ctx, Cut, Best) :-
    !,
    prolog_cut_to(Cut),
    Index is Index0+1,
    walk(Goals, Index, Ctx, Cut, Best).
walk([Goal|Goals], Index0, Ctx, Cut, Best) :-
    Tried = tried(false),
    (   solve_local(Goal, Ctx, _, []),
        nb_setarg(1, Tried, true),
        Index is Index0+1,
        walk(Goals, Index, Ctx, Cut, Best)
    ;   Tried == tried(false),
        arg(1, Best, Reached),
        Index0 > Reached,
        nb_setarg(1, Best, Index0),
        nb_setarg(2, Best, Goal),
        fail
    ).

conjuncts(Goal, [Goal|T], T) :- var(Goal), !.
conjuncts((A, B), Goals, T) :- !, conjuncts(A, Goals, T0), conjuncts(B, T0, T).
conjuncts(true, T, T) :- !.
conjuncts(Goal, [Goal|T], T).
