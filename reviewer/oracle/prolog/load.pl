:- module(oracle_load, [load_text/3, load_clauses/2, install_message_collector/0]).

:- use_module(library(lists)).

%   Messages of the load under way, newest first, in a global variable: a dynamic predicate would be one
%   more thing that a program could look for.

:- multifile user:message_hook/3.
:- dynamic user:message_hook/3.

%!  install_message_collector
%
%   From now on every message is kept for load_text/3 or dropped; nothing is printed.

install_message_collector :-
    nb_setval(oracle_messages, []),
    nb_setval(oracle_loading, false),
    asserta((user:message_hook(Term, Kind, _) :- oracle_load:collect(Kind, Term))).

collect(Kind, Term) :-
    (   nb_getval(oracle_loading, true),
        ( Kind == warning ; Kind == error )
    ->  place(Term, Place),
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

%!  load_text(+Text, +Module, -Messages:list)
%
%   Load the text into the module as a file would be. Messages are message(Kind, Term, Start) in order,
%   Start the offset of the clause or of the error, -1 where there is none.

load_text(Text, Module, Messages) :-
    nb_setval(oracle_messages, []),
    nb_setval(oracle_loading, true),
    setup_call_cleanup(open_string(Text, In),
                       load_files(Module:Module, [stream(In), silent(true), scope_settings(true)]),
                       close(In)),
    nb_setval(oracle_loading, false),
    nb_getval(oracle_messages, Newest),
    reverse(Newest, Messages).

%!  load_clauses(+Clauses, +Module)
%
%   Put clauses that were read already, and that the gate has nothing against, into the module: the same
%   decisions as load_text/3 in a quarter of the time, without its messages.

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
