:- consult('axioms').
task(user, launch(booking_service)).
launched(user, march).
in_operation(booking_service, since_launch).
answer_limit_ms(400).
expected_users(2000).
design_review(user, reviewers(2), another_team).
load_test(user, 3000, 310).
rehearsed(user, rollback).
set_up(user, alerts).
verdict(option_A, appropriate).
verdict(option_B, inappropriate).
decide_option(user, Option) :-
    judged(user, Judgement),
    verdict(Option, Judgement).
