:- consult('axioms').
task(user, draft_requirements(shift_planner, hospital)).
introduction(next_spring).
user_group(nurses).
user_group(doctors).
user_group(cleaning_staff).
user_group(payroll_office).
interviewed(nurses).
written_from_same_notes(user, parts_on_the_others).
weeks_until_development(3).
self_assessment(user, good_feel_for_what_users_want).
certain(user, knows_what_the_others_would_say).
option(option_A).
option(option_B).
weeks_needed(option_A, 0).
weeks_needed(option_B, 2).
correction(option_A, after_first_delivery).
correction(option_B, before_development).
interviews(option_B, doctors).
interviews(option_B, cleaning_staff).
interviews(option_B, payroll_office).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
