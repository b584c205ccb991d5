:- module(oracle_text, [read_clauses/3, shown/2, shown_limited/3, written_within/2]).
:- use_module(library(terms)).

%!  read_clauses(+Text:string, +Module, -Clauses:list)
%
%   The text as data, nothing of it run: clause(Term, Start, End, Line) for a term that reads,
%   bad(Error, Start, End, Line) for one that does not. Start and End are offsets in characters,
%   End after the full stop. Operators and flags are those of Module, as when the text is loaded into it.

read_clauses(Text, Module, Clauses) :-
    setup_call_cleanup(open_string(Text, In),
                       read_all(In, Module, Clauses),
                       close(In)).

read_all(In, Module, Clauses) :-
    character_count(In, Before),
    line_count(In, LineBefore),
    catch(read_term(In, Term,
                    [ module(Module), term_position(Position), syntax_errors(error) ]),
          error(syntax_error(What), _), true),
    character_count(In, End),
    (   nonvar(What)
    ->  Clauses = [bad(What, Before, End, LineBefore)|Rest],
        (   at_end_of_stream(In)
        ->  Rest = []
        ;   read_all(In, Module, Rest)
        )
    ;   Term == end_of_file
    ->  Clauses = []
    ;   stream_position_data(char_count, Position, Start),
        stream_position_data(line_count, Position, Line),
        Clauses = [clause(Term, Start, End, Line)|Rest],
        read_all(In, Module, Rest)
    ).

%!  shown(+Term, -String)
%
%   The term as Prolog text on one line, variables as letters.

shown(Term, String) :-
    shown_limited(Term, 4_000, String).

%!  shown_limited(+Term, +Cells, -String)
%
%   As shown/2; a term that needs more than Cells cells, or a cyclic one, is named by its functor, and a text
%   of more than 20,000 characters is cut off.

shown_limited(Term, Cells, String) :-
    written(Term, Cells, Written),
    string_length(Written, Length),
    (   Length > 20_000
    ->  sub_string(Written, 0, 200, _, Start),
        string_concat(Start, "… (too large to show)", String)
    ;   String = Written
    ).

written(Term, Cells, String) :-
    (   written_within(Term, Cells)
    ->  \+ \+ ( numbervars(Term, 0, _, [singletons(false), attvar(skip)]),
                format(string(S), '~W',
                       [Term, [ quoted(true), numbervars(true), spacing(next_argument),
                                ignore_ops(false), portray(false), character_escapes(true)
                              ]]),
                nb_setval(oracle_shown, S)
              ),
        nb_getval(oracle_shown, String)
    ;   functor(Term, Name, Arity),
        format(string(String), '~q/~w (too large to show)', [Name, Arity])
    ).

%!  written_within(+Term, +Cells)
%
%   The term is no cycle and takes at most so many cells, where a part that stands in several places counts
%   at each, since it is written at each: a term of a few cells may be a text that no memory holds.

written_within(Term, Cells) :-
    acyclic_term(Term),
    cells_left(Term, Cells, _).

cells_left(Term, Cells0, Cells) :-
    compound(Term),
    !,
    compound_name_arity(Term, _, Arity),
    Cells1 is Cells0-Arity-1,
    Cells1 >= 0,
    cells_left_after(0, Arity, Term, Cells1, Cells).
cells_left(Term, Cells0, Cells) :-
    term_size(Term, Size),
    Cells is Cells0-Size,
    Cells >= 0.

cells_left_after(Arity, Arity, _, Cells, Cells) :- !.
cells_left_after(Place0, Arity, Term, Cells0, Cells) :-
    Place is Place0+1,
    arg(Place, Term, Part),
    cells_left(Part, Cells0, Cells1),
    cells_left_after(Place, Arity, Term, Cells1, Cells).
