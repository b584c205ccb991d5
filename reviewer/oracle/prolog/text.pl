:- module(oracle_text, [read_clauses/3, shown/2, shown_limited/3]).
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
    (   acyclic_term(Term),
        term_size(Term, Size),
        Size =< Cells
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
