shows_behaviour(passing_test).
shows_behaviour(observed_trial_run).
verified(Part, _) :-
    evidence(Part, Kind),
    shows_behaviour(Kind).
verified(Part, Option) :-
    planned_evidence(Option, Part, Kind),
    shows_behaviour(Kind).
unverified_change(Option) :-
    changed(Part),
    \+ verified(Part, Option).
on_time(Option) :-
    days_until_deployment(Option, Days),
    days_until_live(Limit),
    Days =< Limit.
best_practice(Option) :-
    on_time(Option),
    \+ unverified_change(Option).
