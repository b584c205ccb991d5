:- consult('axioms').
task(user, exchange(appointment_app, calendar_files)).
needed(repeating_events).
needed(time_zones).
needed(daylight_saving_changes).
input_from(strangers).
found_by_search(option_A).
found_by_search(option_B).
option(option_A).
option(option_B).
library(option_A, kalendo).
library(option_B, datewright).
documented(option_A, repeating_events).
documented(option_B, repeating_events).
documented(option_B, time_zones).
documented(option_B, daylight_saving_changes).
undocumented(option_A, time_zones).
undocumented(option_A, daylight_saving_changes).
months_since_last_fix(option_A, 72).
months_since_last_fix(option_B, 1).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
