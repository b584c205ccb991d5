affordable(constant).
affordable(logarithmic).
affordable(entries_returned).
affordable(all_entries) :-
    entries(Number),
    Number =< 1000.
serves(Option, Operation) :-
    cost(Option, Operation, Cost),
    affordable(Cost).
best_practice(Option) :-
    forall(operation(Operation), serves(Option, Operation)).
