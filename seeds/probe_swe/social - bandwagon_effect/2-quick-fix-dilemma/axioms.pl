best_practice(Option) :-
    cause(_, Cause),
    removes(Option, Cause),
    days_needed(Option, Needed),
    days_until_needed(Left),
    Needed =< Left,
    \+ leaves_to_maintain(Option, _).
