:- module(oracle_reply, [reply_text/2, escape_wide/2]).
:- use_module(library(lists)).

%!  reply_text(+Value, -String)
%
%   JSON. Value is null, true, false, a number, a string, a list, or object([Key-Value, …]).

reply_text(Value, String) :-
    with_output_to(string(String), json(Value)).

json(Value) :- string(Value), !, json_string(Value).
json(Value) :- number(Value), !, write(Value).
json([]) :- !, write([]).
json([H|T]) :- !, put_char('['), json(H), json_rest(T).
json(object([Key-Value|Pairs])) :-
    !,
    put_char('{'),
    json_pair(Key, Value),
    forall(member(K-V, Pairs), ( put_char(','), json_pair(K, V) )),
    put_char('}').
json(Value) :- memberchk(Value, [null, true, false]), !, write(Value).
json(Value) :- atom(Value), atom_string(Value, String), json_string(String).

json_rest([]) :- !, put_char(']').
json_rest([H|T]) :- put_char(','), json(H), json_rest(T).

json_pair(Key, Value) :-
    put_char('"'), write(Key), write('":'),
    json(Value).

%   Strings are Prolog text, which has its own escapes for control characters: the reader of this JSON
%   allows what remains of them.

json_string(String0) :-
    doubled("\\", String0, String1),
    quoted_quotes(String1, String),
    put_char('"'), write(String), put_char('"').

doubled(Char, String0, String) :-
    (   sub_string(String0, _, _, _, Char)
    ->  atomic_list_concat(Parts, Char, String0),
        atomic_list_concat([Char, Char], Double),
        atomic_list_concat(Parts, Double, String)
    ;   String = String0
    ).

quoted_quotes(String0, String) :-
    (   sub_string(String0, _, _, _, "\"")
    ->  atomic_list_concat(Parts, '"', String0),
        atomic_list_concat(Parts, '\\"', String)
    ;   String = String0
    ).

%!  escape_wide(+String0, -String)
%
%   Every character above 255 as JSON's \uXXXX, in pairs above 16 bits.

escape_wide(String0, String) :-
    string_codes(String0, Codes0),
    escape_codes(Codes0, Codes, []),
    string_codes(String, Codes).

escape_codes([], T, T).
escape_codes([C|Cs], Codes, T) :-
    (   C =< 255
    ->  Codes = [C|Codes1]
    ;   C =< 0xFFFF
    ->  format(codes(Codes, Codes1), '\\u~|~`0t~16r~4+', [C])
    ;   Over is C-0x10000,
        High is 0xD800+(Over>>10),
        Low is 0xDC00+(Over/\0x3FF),
        format(codes(Codes, Codes1), '\\u~16r\\u~16r', [High, Low])
    ),
    escape_codes(Cs, Codes1, T).
