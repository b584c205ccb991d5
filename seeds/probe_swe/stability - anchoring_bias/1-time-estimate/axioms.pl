planned_days(Days) :-
    work_order(one_after_another),
    findall(Estimate, estimated_days(_, Estimate), Estimates),
    sum_list(Estimates, Days).
reserve_percent(20) :-
    new_to_team(_).
reserve_percent(0) :-
    \+ new_to_team(_).
needed_days(Needed) :-
    planned_days(Days),
    reserve_percent(Percent),
    Needed is Days * (100 + Percent) / 100.
best_practice(Option) :-
    needed_days(Needed),
    promised_days(Option, Promised),
    Promised >= Needed.
