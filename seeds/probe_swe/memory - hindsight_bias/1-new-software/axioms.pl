reviewed(Person) :-
    design_review(Person, _, another_team).
load_proven(Person) :-
    load_test(Person, Users, Slowest),
    expected_users(Expected),
    Users >= Expected,
    answer_limit_ms(Limit),
    Slowest =< Limit.
prepared_for_failure(Person) :-
    rehearsed(Person, rollback),
    set_up(Person, alerts).
diligent(Person) :-
    reviewed(Person),
    load_proven(Person),
    prepared_for_failure(Person).
judged(Person, appropriate) :-
    diligent(Person).
judged(Person, inappropriate) :-
    \+ diligent(Person).
