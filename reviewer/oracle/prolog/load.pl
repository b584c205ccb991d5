:- module(oracle_load, [load_text/5, load_clauses/2, install_message_collector/0]).

:- use_module(library(lists)).

%   Messages of the load under way, newest first, in a global variable: a dynamic predicate would be one
%   more thing that a program could look for.

:- multifile user:message_hook/3.
:- dynamic user:message_hook/3.

:- multifile system:term_expansion/2.
:- dynamic system:term_expansion/2.

%!  install_message_collector
%
%   From now on every message is kept for load_text/5 or dropped, and nothing is printed; and every term that
%   is loaded is looked at before.

install_message_collector :-
    nb_setval(oracle_messages, []),
    nb_setval(oracle_rejected, []),
    nb_setval(oracle_loading, false),
    nb_setval(oracle_module, none),
    asserta((system:term_expansion(Term, []) :- oracle_load:unexpected(Term))),
    asserta((user:message_hook(Message, Kind, _) :- oracle_load:collect(Kind, Message))).

collect(Kind, Term) :-
    (   nb_getval(oracle_loading, true),
        ( Kind == warning ; Kind == error )
    ->  place(Term, Place),
        ( Kind == error -> reject(Place) ; true ),
        nb_getval(oracle_messages, Messages),
        (   length(Messages, Length), Length < 200
        ->  nb_setval(oracle_messages, [message(Kind, Term, Place)|Messages])
        ;   true
        )
    ;   true
    ).

place(error(_, Context), Place) :-
    nonvar(Context),
    syntax_place(Context, Place),
    !.
place(singletons(_, _), line(Line)) :-
    source_location(_, Line),
    !.
place(_, Start) :-
    prolog_load_context(term_position, Position),
    stream_position_data(char_count, Position, Start),
    !.
place(_, -1).

syntax_place(stream(_, _, _, Char), Char).
syntax_place(file(_, _, _, Char), Char).

reject(Place) :-
    nb_getval(oracle_rejected, Rejected),
    nb_setval(oracle_rejected, [Place|Rejected]).

%!  load_text(+Text, +Module, ?Expected, -Messages:list, -Rejected:list)
%
%   Load the text into the module as a file would be. Messages are message(Kind, Term, Start) in order,
%   Start the offset of the clause or of the error, -1 where there is none. Rejected are the offsets of the
%   clauses that the system did not take.
%
%   Expected are the clauses that were read before, or `any`. From the first term that is not the next one of
%   them, nothing is loaded, and the load throws oracle_differs. The text is one stream with one set of flags;
%   a first line that begins with # is read, not passed over as the header of a script.

load_text(Text, Module, Expected, Messages, Rejected) :-
    nb_setval(oracle_messages, []),
    nb_setval(oracle_rejected, []),
    expect(Expected, Module),
    nb_setval(oracle_loading, true),
    setup_call_cleanup(open_string(Text, In),
                       load_files(Module:Module,
                                  [ stream(In), silent(true), scope_settings(true), check_script(false) ]),
                       close(In)),
    nb_setval(oracle_loading, false),
    nb_setval(oracle_module, none),
    nb_getval(oracle_next, Next),
    ( Next == differs -> throw(oracle_differs) ; true ),
    nb_getval(oracle_rejected, Rejected),
    nb_getval(oracle_messages, Newest),
    reverse(Newest, Messages).

expect(any, _) :-
    !,
    nb_setval(oracle_module, none),
    nb_setval(oracle_next, 0).
expect(Clauses, Module) :-
    findall(Term, member(clause(Term, _, _, _), Clauses), Terms0),
    append([begin_of_file|Terms0], [end_of_file], Terms),
    Expected =.. [expected|Terms],
    nb_setval(oracle_expected, Expected),
    nb_setval(oracle_next, 1),
    nb_setval(oracle_module, Module).

%   Asked by the loader of each term before it does anything with it; fails for the next of those expected.

unexpected(Term) :-
    '$current_source_module'(Module),
    nb_getval(oracle_module, Module),
    nb_getval(oracle_next, Next),
    (   integer(Next),
        nb_getval(oracle_expected, Expected),
        arg(Next, Expected, Known),
        Known =@= Term
    ->  After is Next+1,
        nb_setval(oracle_next, After),
        fail
    ;   nb_setval(oracle_next, differs)
    ).

%!  load_clauses(+Clauses, +Module)
%
%   Put clauses that were read already, and that the gate has nothing against, into the module: the same
%   decisions as load_text/5 in a quarter of the time, without its messages.

load_clauses([], _).
load_clauses([Clause|Clauses], Module) :-
    (   Clause = clause(Term, _, _, _)
    ->  add(Term, Module)
    ;   true
    ),
    load_clauses(Clauses, Module).

add((:- dynamic(Spec)), Module) :- !, dynamic(Module:Spec).
%   A predicate that is declared, and has no clauses, fails; one that is not declared raises. Clauses that
%   are asserted make a dynamic predicate, which discontiguous/1 would forbid.
add((:- discontiguous(Spec)), Module) :- !, catch(dynamic(Module:Spec), _, true).
add((:- _), _) :- !.
add((Head --> Body), Module) :-
    !,
    dcg_translate_rule((Head --> Body), Clause),
    assertz(Module:Clause).
add(Clause, Module) :-
    assertz(Module:Clause).
