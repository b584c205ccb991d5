:- consult('axioms').
task(user, add(currency_conversion, accounting_product)).
dependent_modules(rate_provider, about(12)).
goal(replaceable_in_tests).
goal(separate_configurations).
goal(visible_dependencies).
option(option_A).
option(option_B).
design(option_A, constructor_injection).
design(option_B, singleton).
property(option_A, explicit_dependency).
property(option_A, own_instances).
property(option_B, hidden_dependency).
property(option_B, one_shared_instance).
property(option_B, unchanged_constructors).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
