expected_delay(Option, Weeks) :-
    cost_of_delay(same_for_every_week),
    late(Option, Percent, Delay),
    Weeks is Percent * Delay / 100.
worse_than_other(Option) :-
    expected_delay(Option, Expected),
    option(Other),
    Other \== Option,
    expected_delay(Other, OtherExpected),
    OtherExpected < Expected.
best_practice(Option) :-
    \+ worse_than_other(Option).
