only_confirms(Option) :-
    forall(tests_with(Option, Input), \+ deviates(Input)).
covers_production(Option) :-
    forall(production_input(Input), tests_with(Option, Input)).
best_practice(Option) :-
    covers_production(Option),
    \+ only_confirms(Option).
