:- consult('axioms').
task(user, fix(double_booking, ticket_shop)).
symptom(double_booking, under_heavy_load).
cause(double_booking, check_and_booking_not_atomic).
days_until_needed(8).
action(option_A, one_transaction).
action(option_B, clean_up_job).
days_needed(option_A, 4).
days_needed(option_B, 1).
removes(option_A, check_and_booking_not_atomic).
cancels(option_B, later_booking).
leaves_in_place(option_B, check_and_booking_not_atomic).
leaves_to_maintain(option_B, job).
decide_option(user, Option) :-
    best_practice(Option).
