ready_for_first_use(Option) :-
    setup_hours(Option, Setup),
    hours_per_use(Option, Use),
    hours_until_first_use(Available),
    Setup + Use =< Available.
total_hours(Option, Total) :-
    setup_hours(Option, Setup),
    hours_per_use(Option, Use),
    planned_uses(Number),
    Total is Setup + Use * Number.
outdone(Option) :-
    total_hours(Option, Total),
    option(Other),
    Other \== Option,
    ready_for_first_use(Other),
    total_hours(Other, OtherTotal),
    OtherTotal < Total.
best_practice(Option) :-
    ready_for_first_use(Option),
    \+ outdone(Option).
