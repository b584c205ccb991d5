:- consult('axioms').
task(user, maintain(live_charts_service)).
lag(charts, peak_times).
lag_limit(contract).
bottleneck(parser, handles_readings_one_after_another).
expected_load_factor(3).
load_horizon(years(2)).
weeks_until_limit(20).
appeals_more(user, faster_charts_within_a_week).
appeals_less(user, whatever_happens_in_two_years).
option(option_A).
option(option_B).
change(option_A, cache_and_special_cases).
change(option_B, parallel_workers).
weeks_needed(option_A, 1).
weeks_needed(option_B, 6).
load_factor(option_A, 2).
load_factor(option_B, 10).
effect_on_design(option_A, harder_to_change).
effect_on_design(option_B, easier_to_change).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
