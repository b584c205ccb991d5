available_enough(Option) :-
    availability(Option, Offered),
    required_availability(Needed),
    Offered >= Needed.
sufficient(Option) :-
    available_enough(Option),
    forall(required(Feature), offers(Option, Feature)).
undercut(Option) :-
    yearly_cost(Option, Cost),
    option(Other),
    Other \== Option,
    yearly_cost(Other, OtherCost),
    OtherCost < Cost,
    sufficient(Other).
best_practice(Option) :-
    sufficient(Option),
    \+ undercut(Option).
