done_in_time(Option) :-
    weeks_needed(Option, Needed),
    weeks_until_limit(Left),
    Needed =< Left.
carries_growth(Option) :-
    load_factor(Option, Factor),
    expected_load_factor(Expected),
    Factor >= Expected.
adds_debt(Option) :-
    effect_on_design(Option, harder_to_change).
best_practice(Option) :-
    done_in_time(Option),
    carries_growth(Option),
    \+ adds_debt(Option).
