maintained(Option) :-
    months_since_last_fix(Option, Months),
    Months =< 12.
exposed(Option) :-
    input_from(strangers),
    \+ maintained(Option).
meets_needs(Option) :-
    forall(needed(Feature), documented(Option, Feature)).
best_practice(Option) :-
    \+ exposed(Option),
    meets_needs(Option).
