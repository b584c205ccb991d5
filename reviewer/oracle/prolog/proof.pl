:- module(oracle_proof, [prove/4, call_steps/2, solve_local/4, own_predicate/2]).
:- use_module(library(lists)).
:- use_module(library(apply)).
:- use_module(library(aggregate)).

/*  An interpreter over clause/2 that searches exactly as plain execution does and remembers how it came
    to the first solution. A node is node(Kind, Goal, Ref, Children):

      fact, rule       a clause of the text (Ref), a rule with the nodes of its body
      builtin, cut     a system predicate; !
      not              \+ or not/1: the goal has no solution
      then, else       the branch of a condition taken, with the nodes of the condition
      all, case        forall/2 and each of its cases
      collect, found   findall/3, aggregate_all/3 and the like, and each of their solutions
      each             maplist, foldl, include and the like, with the calls that they made

    Ctx is ctx(Module, Counter): Counter is steps(N), N counting the goals tried. Cut is the choice point
    that `!` goes back to; a goal called as an argument has its own.
*/

:- meta_predicate prove(0, +, -, -).

%!  prove(:Goal, +Limit, -Outcome, -Steps)
%
%   Outcome is proved(Goal, Nodes), failed, inferences (Limit reached) or error(Ball).

prove(Module:Goal, Limit, Outcome, Steps) :-
    Counter = steps(0),
    catch(call_with_inference_limit(prove_once(Goal, ctx(Module, Counter), Found), Limit, Result),
          Ball, true),
    (   nonvar(Ball)
    ->  Outcome = error(Ball)
    ;   Result == inference_limit_exceeded
    ->  Outcome = inferences
    ;   Outcome = Found
    ),
    call_steps(Counter, Steps).

prove_once(Goal, Ctx, Found) :-
    (   solve_local(Goal, Ctx, Nodes, [])
    ->  Found = proved(Goal, Nodes)
    ;   Found = failed
    ).

call_steps(steps(Steps), Steps).

count(ctx(_, Counter)) :-
    arg(1, Counter, N0),
    N is N0+1,
    nb_setarg(1, Counter, N).

%!  solve_local(+Goal, +Ctx, -Nodes, ?Tail) is nondet.
%
%   Solve a goal in which a cut is local.

solve_local(Goal, Ctx, Nodes, Tail) :-
    prolog_current_choice(Cut),
    solve(Goal, Ctx, Cut, Nodes, Tail).

solve(Goal, _, _, _, _) :-
    var(Goal),
    !,
    throw(error(instantiation_error, _)).
solve(true, _, _, T, T) :- !.
solve((A, B), Ctx, Cut, N, T) :-
    !,
    solve(A, Ctx, Cut, N, N1),
    solve(B, Ctx, Cut, N1, T).
solve(!, _, Cut, [node(cut, !, -, [])|T], T) :-
    !,
    prolog_cut_to(Cut).
solve((C -> A ; B), Ctx, Cut, N, T) :-
    !,
    (   solve_local(C, Ctx, CN, [])
    ->  N = [node(then, C, -, CN)|N1],
        solve(A, Ctx, Cut, N1, T)
    ;   N = [node(else, C, -, [])|N1],
        solve(B, Ctx, Cut, N1, T)
    ).
solve((C *-> A ; B), Ctx, Cut, N, T) :-
    !,
    (   solve_local(C, Ctx, CN, [])
    *-> N = [node(then, C, -, CN)|N1],
        solve(A, Ctx, Cut, N1, T)
    ;   N = [node(else, C, -, [])|N1],
        solve(B, Ctx, Cut, N1, T)
    ).
solve((A ; B), Ctx, Cut, N, T) :-
    !,
    (   solve(A, Ctx, Cut, N, T)
    ;   solve(B, Ctx, Cut, N, T)
    ).
solve((C -> A), Ctx, Cut, [node(then, C, -, CN)|N], T) :-
    !,
    (   solve_local(C, Ctx, CN, [])
    ->  solve(A, Ctx, Cut, N, T)
    ).
solve((C *-> A), Ctx, Cut, [node(then, C, -, CN)|N], T) :-
    !,
    solve_local(C, Ctx, CN, []),
    solve(A, Ctx, Cut, N, T).
solve(\+ G, Ctx, _, [node(not, G, -, [])|T], T) :-
    !,
    count(Ctx),
    \+ solve_local(G, Ctx, _, []).
solve(Module:G, ctx(_, Counter), Cut, N, T) :-
    atom(Module),
    !,
    solve(G, ctx(Module, Counter), Cut, N, T).
solve(G, Ctx, _, [Node|T], T) :-
    count(Ctx),
    (   own_predicate(G, Ctx)
    ->  solve_own(G, Ctx, Node)
    ;   calls_goals(G)
    ->  solve_meta(G, Ctx, Node)
    ;   each(G, Calls)
    ->  Node = node(each, G, -, Nodes),
        solve_local(Calls, Ctx, Nodes, [])
    ;   solve_system(G, Ctx, Node)
    ).

%   The choice point must be older than the clauses that are tried, so this has one clause only.

solve_own(G, Ctx, node(Kind, G, Ref, Children)) :-
    prolog_current_choice(Cut),
    Ctx = ctx(Module, _),
    clause(Module:G, Body, Ref),
    solve(Body, Ctx, Cut, Children, []),
    ( Body == true -> Kind = fact ; Kind = rule ).

solve_system(G, ctx(Module, _), node(builtin, G, -, [])) :-
    call(Module:G).

%!  own_predicate(+Goal, +Ctx) is semidet.
%
%   True when the text defines the predicate.

own_predicate(G, ctx(Module, _)) :-
    '$c_current_predicate'(_, Module:G),
    \+ '$get_predicate_attribute'(Module:G, imported, _),
    '$get_predicate_attribute'(Module:G, defined, 1).


                 /*******************************
                 *     PREDICATES THAT CALL     *
                 *******************************/

calls_goals(G) :-
    clause(solve_meta(G, _, _), _),
    !.

solve_meta(not(G), Ctx, node(not, G, -, [])) :-
    \+ solve_local(G, Ctx, _, []).
solve_meta(call(G), Ctx, node(builtin, call(G), -, Nodes)) :-
    solve_local(G, Ctx, Nodes, []).
solve_meta(call(G, A), Ctx, Node) :- solve_closure(G, [A], Ctx, Node).
solve_meta(call(G, A, B), Ctx, Node) :- solve_closure(G, [A, B], Ctx, Node).
solve_meta(call(G, A, B, C), Ctx, Node) :- solve_closure(G, [A, B, C], Ctx, Node).
solve_meta(call(G, A, B, C, D), Ctx, Node) :- solve_closure(G, [A, B, C, D], Ctx, Node).
solve_meta(once(G), Ctx, node(builtin, once(G), -, Nodes)) :-
    (   solve_local(G, Ctx, Nodes, [])
    ->  true
    ).
solve_meta(ignore(G), Ctx, node(builtin, ignore(G), -, Nodes)) :-
    (   solve_local(G, Ctx, Nodes, [])
    ->  true
    ;   Nodes = []
    ).
solve_meta(forall(C, A), Ctx, node(all, forall(C, A), -, Cases)) :-
    Found = found([]),
    \+ ( solve_local(C, Ctx, CN, []),
         \+ ( solve_local(A, Ctx, AN, []),
              append(CN, AN, Nodes),
              remember(Found, node(case, (C, A), -, Nodes))
            )
       ),
    remembered(Found, Cases).
solve_meta(findall(X, G, L), Ctx, node(collect, findall(X, G, L), -, Found)) :-
    collect(G, Ctx, Goal, Found, Store),
    findall(X, Goal, L),
    remembered(Store, Found).
solve_meta(findall(X, G, L, R), Ctx, node(collect, findall(X, G, L, R), -, Found)) :-
    collect(G, Ctx, Goal, Found, Store),
    findall(X, Goal, L, R),
    remembered(Store, Found).
solve_meta(aggregate_all(S, G, R), Ctx, node(collect, aggregate_all(S, G, R), -, Found)) :-
    collect(G, Ctx, Goal, Found, Store),
    aggregate_all(S, Goal, R),
    remembered(Store, Found).
solve_meta(bagof(X, G0, L), Ctx, node(collect, bagof(X, G0, L), -, Found)) :-
    carets(G0, G, Goal, Carets),
    collect(G, Ctx, Goal, Found, Store),
    bagof(X, Carets, L),
    remembered(Store, Found).
solve_meta(setof(X, G0, L), Ctx, node(collect, setof(X, G0, L), -, Found)) :-
    carets(G0, G, Goal, Carets),
    collect(G, Ctx, Goal, Found, Store),
    setof(X, Carets, L),
    remembered(Store, Found).

solve_closure(Closure, Extra, Ctx, node(builtin, Goal, -, Nodes)) :-
    extended(Closure, Extra, Goal),
    solve_local(Goal, Ctx, Nodes, []).

extended(Closure, Extra, Goal) :-
    must_be_callable(Closure),
    (   atom(Closure)
    ->  Name = Closure, Args0 = []
    ;   compound_name_arguments(Closure, Name, Args0)
    ),
    append(Args0, Extra, Args),
    ( Args == [] -> Goal = Name ; compound_name_arguments(Goal, Name, Args) ).

must_be_callable(Closure) :- callable(Closure), !.
must_be_callable(Closure) :- var(Closure), !, throw(error(instantiation_error, _)).
must_be_callable(Closure) :- throw(error(type_error(callable, Closure), _)).

%   The goal to hand to the collecting predicate, which remembers the nodes of each solution in Store.
%   Nodes are kept out of the variables that bagof/3 would group by.

collect(G, Ctx, oracle_proof:solution(G, Ctx, Store), _, Store) :-
    Store = found([]).

solution(G, Ctx, Store) :-
    solve_local(G, Ctx, Nodes, []),
    remember(Store, node(found, G, -, Nodes)).

carets(G, G, Goal, Goal) :- var(G), !.
carets(V^G0, G, Goal, V^Carets) :- !, carets(G0, G, Goal, Carets).
carets(G, G, Goal, Goal).

%   At most so many solutions are kept for the tree.

remember(Found, Node) :-
    arg(1, Found, Nodes),
    length(Nodes, Length),
    (   Length < 100
    ->  nb_setarg(1, Found, [Node|Nodes])
    ;   true
    ).

remembered(Found, Nodes) :-
    arg(1, Found, Newest),
    reverse(Newest, Nodes).

%   Predicates over lists as the conjunction of calls that they make, when a list says how many.

each(maplist(G, L), Calls) :- proper([L]), rows([L], G, Calls).
each(maplist(G, L1, L2), Calls) :- proper([L1, L2]), rows([L1, L2], G, Calls).
each(maplist(G, L1, L2, L3), Calls) :- proper([L1, L2, L3]), rows([L1, L2, L3], G, Calls).
each(foldl(G, L, V0, V), Calls) :- is_list(L), fold(L, G, V0, V, Calls).
each(include(G, L, Kept), (Calls, Kept = Result)) :- is_list(L), filter(L, G, Result, Calls).
each(exclude(G, L, Kept), (Calls, Kept = Result)) :- is_list(L), filter_out(L, G, Result, Calls).

proper(Lists) :-
    member(List, Lists),
    is_list(List),
    !,
    length(List, Length),
    forall(( member(L, Lists), is_list(L) ), length(L, Length)),
    same_length_lists(Lists, Length).

same_length_lists([], _).
same_length_lists([L|Ls], Length) :-
    length(L, Length),
    same_length_lists(Ls, Length).

rows([[]|_], _, true) :- !.
rows(Lists, G, (Call, Calls)) :-
    heads(Lists, Heads, Tails),
    extended(G, Heads, Call),
    rows(Tails, G, Calls).

heads([], [], []).
heads([[H|T]|Ls], [H|Hs], [T|Ts]) :- heads(Ls, Hs, Ts).

fold([], _, V, V, true).
fold([X|Xs], G, V0, V, (Call, Calls)) :-
    extended(G, [X, V0, V1], Call),
    fold(Xs, G, V1, V, Calls).

filter([], _, [], true).
filter([X|Xs], G, Result, ((Call -> Result = [X|Rest] ; Result = Rest), Calls)) :-
    extended(G, [X], Call),
    filter(Xs, G, Rest, Calls).

filter_out([], _, [], true).
filter_out([X|Xs], G, Result, ((Call -> Result = Rest ; Result = [X|Rest]), Calls)) :-
    extended(G, [X], Call),
    filter_out(Xs, G, Rest, Calls).
