:- module(oracle_describe,
          [ described/6, messages_described/4, tree_described/3, tree_measures/3, failure_described/4,
            ball_text/2, ball_status/2, end_text/2, outcome_text/2
          ]).
:- use_module(library(lists)).
:- use_module(library(terms)).
:- use_module(oracle(confine)).
:- use_module(oracle(text)).

/*  From terms to what goes into a reply: lists and strings only. A clause is named by its place in the
    order of reading, from 0.
*/

%!  described(+List, +Clauses, +Loaded, +Findings, +Undefined, -Pairs)
%
%   The clauses are left out when List is false. Loaded is `none`, or the clauses as the system took them.

described(false, _, _, Findings, _, [findings-Fs]) :-
    findall([Severity, Kind, Detail, Start],
            member(finding(Severity, Kind, Detail, Start), Findings), Fs).
described(true, Clauses, Loaded, Findings, Undefined, [clauses-Cs, undefined-Us|Pairs]) :-
    described(false, Clauses, Loaded, Findings, Undefined, Pairs),
    clause_rows(Clauses, Loaded, Cs),
    findall(U, ( member(PI, Undefined), shown(PI, U) ), Us).

clause_rows([], _, []).
clause_rows([Clause|Clauses], Loaded0, [[Start, End, Line, Kind, Indicator, Shape, Taken]|Rows]) :-
    clause_row(Clause, Start, End, Line, Kind, Indicator, Shape),
    (   Loaded0 = [As|Loaded]
    ->  ( As = clause(Term, _, _, _), Term \= [_|_] -> Taken = true ; Taken = false )
    ;   Loaded = none,
        Taken = false
    ),
    clause_rows(Clauses, Loaded, Rows).

clause_row(bad(_, Start, End, Line), Start, End, Line, unreadable, "", "").
clause_row(clause(Term, Start, End, Line), Start, End, Line, Kind, Indicator, Shape) :-
    clause_kind(Term, Kind, Head),
    clause_shape(Term, Shape),
    (   callable(Head),
        head_indicator(Kind, Head, PI)
    ->  shown(PI, Indicator)
    ;   Indicator = ""
    ).

%   The clause as the system writes it, whatever its variables are called; "" for one too large to write.

clause_shape(Term, Shape) :-
    (   written_within(Term, 4_000)
    ->  shown(Term, Shape)
    ;   Shape = ""
    ).

clause_kind(Term, fact, Term) :- var(Term), !.
clause_kind((:- _), directive, []) :- !.
clause_kind((?- _), directive, []) :- !.
clause_kind((Head --> _), rule, grammar(Head)) :- !.
clause_kind(Module:(Head :- Body), Kind, Module:Head) :- !, clause_kind((Head :- Body), Kind, Head).
clause_kind((Head :- Body), Kind, Head) :- !, ( Body == true -> Kind = fact ; Kind = rule ).
clause_kind(Head, fact, Head).

head_indicator(directive, _, _) :- !, fail.
head_indicator(rule, grammar(Head), Name/Arity) :-
    !,
    callable(Head),
    name_arity(Head, Name, Arity0),
    Arity is Arity0+2.
head_indicator(_, Module:Head, Module:Name/Arity) :- callable(Head), !, name_arity(Head, Name, Arity).
head_indicator(_, Head, Name/Arity) :- name_arity(Head, Name, Arity).

name_arity(Head, Name, Arity) :- atom(Head), !, Name = Head, Arity = 0.
name_arity(Head, Name, Arity) :- compound_name_arity(Head, Name, Arity).

%!  messages_described(+Messages, +Module, +Clauses, -Rows)
%
%   Rows [Kind, Start, Text] of load_text/5's messages, which name Module nowhere: its number depends on what
%   was loaded before.

messages_described(Messages, Module, Clauses, Rows) :-
    findall([Kind, Start, Text],
            ( member(message(Severity, Term, Place), Messages),
              message_kind(Term, Severity, Kind, What),
              message_start(Place, Clauses, Start),
              unqualified(What, Module, Bare),
              shown_limited(Bare, 300, Text) ),
            Rows).

unqualified(Term, _, Term) :- ( var(Term) ; cyclic_term(Term) ), !.
unqualified(Name:Term, Module, Bare) :- Name == Module, !, unqualified(Term, Module, Bare).
unqualified(Term, Module, program) :- Term == Module, !.
unqualified(Term, Module, Bare) :-
    compound(Term),
    !,
    compound_name_arguments(Term, Name, Arguments),
    all_unqualified(Arguments, Module, Bares),
    compound_name_arguments(Bare, Name, Bares).
unqualified(Term, _, Term).

all_unqualified([], _, []).
all_unqualified([Term|Terms], Module, [Bare|Bares]) :-
    unqualified(Term, Module, Bare),
    all_unqualified(Terms, Module, Bares).

message_start(line(Line), Clauses, Start) :-
    !,
    (   member(clause(_, Start, _, Line), Clauses)
    ->  true
    ;   Start = -1
    ).
message_start(Start, _, Start).

message_kind(Term, _, Kind, What) :- known_message(Term, Kind, What), !.
message_kind(error(Formal, _), Severity, Severity, Formal) :- !.
message_kind(Term, Severity, Severity, Term).

known_message(singletons(_, Names), singleton, Names).
known_message(singletons(Names), singleton, Names).
known_message(compiler_warnings(_, Warnings), compiler, Warnings).
known_message(discontiguous(_:PI, _), discontiguous, PI).
known_message(discontiguous(_:PI, _, _), discontiguous, PI).
known_message(redefined_procedure(_, _:PI), redefined, PI).
known_message(error(syntax_error(What), _), syntax, What).
known_message(error(permission_error(modify, static_procedure, PI), _), refused_clause, PI).
known_message(error(permission_error(_, _, PI), _), refused_clause, PI).

%!  tree_described(+Nodes, +Clauses, -Values)
%
%   Each node is [Kind, Goal, Clause or null, Children]; at most a thousand are kept, none below level 60.

tree_described(Nodes, Clauses, Values) :-
    Budget = left(1000),
    rows(Nodes, 60, Budget, Clauses, Values).

rows([], _, _, _, []).
rows([Node|Nodes], Level, Budget, Clauses, Values) :-
    arg(1, Budget, Left),
    (   Left > 0,
        Level > 0
    ->  Left1 is Left-1,
        nb_setarg(1, Budget, Left1),
        row(Node, Level, Budget, Clauses, Value),
        Values = [Value|Rest],
        rows(Nodes, Level, Budget, Clauses, Rest)
    ;   Values = [["more", "…", null, []]]
    ).

row(node(Kind, Goal, Ref, Children), Level0, Budget, Clauses, [KindText, Text, Index, Rows]) :-
    atom_string(Kind, KindText),
    shown_limited(Goal, 300, Text),
    clause_index(Ref, Clauses, Index),
    Level is Level0-1,
    rows(Children, Level, Budget, Clauses, Rows).

clause_index(-, _, null) :- !.
clause_index(Ref, Clauses, Index) :-
    nth_clause(Module:Head, Nth, Ref),
    name_arity(Head, Name, Arity),
    (   sub_atom(Module, 0, _, _, oracle_program_)
    ->  PI = Name/Arity
    ;   PI = Module:Name/Arity
    ),
    nth_of(Clauses, 0, Nth, PI, Index),
    !.
clause_index(_, _, null).

nth_of([Clause|Clauses], Index0, Nth0, PI, Index) :-
    Index1 is Index0+1,
    (   clause_pi(Clause, PI)
    ->  (   Nth0 =:= 1
        ->  Index = Index0
        ;   Nth is Nth0-1,
            nth_of(Clauses, Index1, Nth, PI, Index)
        )
    ;   nth_of(Clauses, Index1, Nth0, PI, Index)
    ).

clause_pi(clause(Term, _, _, _), PI) :-
    clause_kind(Term, Kind, Head),
    callable(Head),
    head_indicator(Kind, Head, PI).

%!  tree_measures(+Nodes, -Depth, -Size)
%
%   The levels and the nodes of the whole tree.

tree_measures(Nodes, Depth, Size) :-
    measures(Nodes, 0, 0, Depth, 0, Size).

measures([], Level, Deepest0, Deepest, Size, Size) :-
    Deepest is max(Level, Deepest0).
measures([node(_, _, _, Children)|Nodes], Level0, Deepest0, Deepest, Size0, Size) :-
    Level is Level0+1,
    Size1 is Size0+1,
    measures(Children, Level, Deepest0, Deepest1, Size1, Size2),
    measures(Nodes, Level0, Deepest1, Deepest, Size2, Size).

%!  failure_described(+Option, +Outcome, +Clauses, -Row)
%
%   [Option, Word, Steps], each step [Goal, Clause or null, Why].

failure_described(Option, fails(Steps), Clauses, [Option, "fails", Rows]) :-
    !,
    findall([Text, Index, WhyText],
            ( member(step(Goal, Ref, Why), Steps),
              shown_limited(Goal, 300, Text),
              clause_index(Ref, Clauses, Index),
              atom_string(Why, WhyText) ),
            Rows).
failure_described(Option, Outcome, _, [Option, Text, []]) :-
    outcome_text(Outcome, Text).


                 /*******************************
                 *            ERRORS            *
                 *******************************/

outcome_text(error(Ball), Text) :- outside(Ball, _), !, end_text(error(Ball), Text).
outcome_text(error(Ball), Text) :- !, ball_text(Ball, Text).
outcome_text(Outcome, Text) :- atom_string(Outcome, Text).

end_text(error(Ball), Text) :- outside(Ball, PI), !, shown(PI, Text0), string_concat("stopped: ", Text0, Text).
end_text(error(Ball), Text) :- !, ball_text(Ball, Text0), string_concat("error: ", Text0, Text).
end_text(End, Text) :- atom_string(End, Text).

ball_status(Ball, stopped) :- outside(Ball, _), !.
ball_status(Ball, memory) :- nonvar(Ball), Ball = error(Formal, _), nonvar(Formal), Formal = resource_error(_), !.
ball_status(_, error).

%!  ball_text(+Ball, -Text)
%
%   The formal part of an error, without the name of the module that the program was loaded into; of a goal
%   outside the vocabulary, its indicator.

ball_text(Ball, Text) :-
    outside(Ball, PI),
    !,
    shown(PI, Text).
ball_text(Ball, Text) :-
    ( nonvar(Ball), Ball = error(Formal0, _), nonvar(Formal0) -> true ; Formal0 = Ball ),
    without_module(Formal0, Formal),
    shown_limited(Formal, 300, Text).

without_module(existence_error(procedure, _:PI), existence_error(procedure, PI)) :- !.
without_module(Formal, Formal).
