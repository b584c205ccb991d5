:- module(oracle_solutions, [all_solutions/6]).
:- use_module(oracle(text)).

:- meta_predicate all_solutions(0, ?, +, +, -, -).

%!  all_solutions(:Goal, ?Choice, +Most, +Limit, -Texts, -End)
%
%   The distinct values of Choice as texts, in the order found, at most Most of them. End is all, most,
%   inferences (Limit reached on the way) or error(Ball).

all_solutions(Goal, Choice, Most, Limit, Texts, End) :-
    State = found([], 0, 0),
    catch(call_with_inference_limit(collect(Goal, Choice, Most, State, End0), Limit, Result),
          Ball, true),
    (   nonvar(Ball)
    ->  End = error(Ball)
    ;   Result == inference_limit_exceeded
    ->  End = inferences
    ;   End = End0
    ),
    arg(1, State, Newest),
    reverse_texts(Newest, [], Texts).

collect(Goal, Choice, Most, State, End) :-
    (   call(Goal),
        shown_limited(Choice, 2_000, Text),
        add(Text, State),
        full(State, Most)
    ->  End = most
    ;   End = all
    ).

add(Text, State) :-
    State = found(Texts, Distinct0, Seen0),
    Seen is Seen0+1,
    nb_setarg(3, State, Seen),
    (   known(Text, Texts)
    ->  true
    ;   Distinct is Distinct0+1,
        nb_setarg(1, State, [Text|Texts]),
        nb_setarg(2, State, Distinct)
    ).

known(Text, [Known|Texts]) :-
    (   Text == Known
    ->  true
    ;   known(Text, Texts)
    ).

%   Asked for again and again the same solution counts too: that search may have no end.

full(found(_, Distinct, Seen), Most) :-
    (   Distinct >= Most
    ->  true
    ;   Seen >= 50*Most
    ).

reverse_texts([], Texts, Texts).
reverse_texts([Text|Rest], Texts0, Texts) :-
    reverse_texts(Rest, [Text|Texts0], Texts).
