:- consult('axioms').
task(user, report(failed_builds, reasons)).
reader(release_board).
planned_uses(12).
interval(month).
familiarity(user, query_interface, never_used).
first_use_due_in(weeks(2)).
hours_until_first_use(40).
option(option_A).
option(option_B).
approach(option_A, learn_interface_and_write_query).
approach(option_B, copy_by_hand).
setup_hours(option_A, 16).
setup_hours(option_B, 0).
hours_per_use(option_A, 1).
hours_per_use(option_B, 5).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
