enforced(_, Check) :-
    in_place(Check).
enforced(Option, Check) :-
    adds(Option, Check).
protected(Option) :-
    forall(required_check(Check), enforced(Option, Check)).
fast_enough(Option) :-
    response_time_ms(Option, Time),
    response_limit_ms(Limit),
    Time =< Limit.
redundant(Option) :-
    adds(Option, Check),
    in_place(Check).
best_practice(Option) :-
    fast_enough(Option),
    \+ redundant(Option),
    protected(Option).
