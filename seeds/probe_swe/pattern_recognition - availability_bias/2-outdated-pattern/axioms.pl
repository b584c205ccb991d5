enables(explicit_dependency, replaceable_in_tests).
enables(explicit_dependency, visible_dependencies).
enables(own_instances, separate_configurations).
enables(unchanged_constructors, small_change).
prevents(hidden_dependency, visible_dependencies).
prevents(one_shared_instance, separate_configurations).
reaches(Option, Goal) :-
    property(Option, Property),
    enables(Property, Goal).
defeats(Option, Goal) :-
    property(Option, Property),
    prevents(Property, Goal).
fit(Option, Goal) :-
    reaches(Option, Goal),
    \+ defeats(Option, Goal).
best_practice(Option) :-
    forall(goal(Goal), fit(Option, Goal)).
