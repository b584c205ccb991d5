:- consult('axioms').
task(user, restructure(shipping_fee_module)).
changed(split_class).
changed(discount_rules).
changed(database_queries).
evidence(split_class, editor_check).
evidence(discount_rules, editor_check).
evidence(database_queries, editor_check).
evidence(split_class, passing_test).
days_until_live(14).
option(option_A).
option(option_B).
planned_evidence(option_A, discount_rules, passing_test).
planned_evidence(option_A, database_queries, passing_test).
days_until_deployment(option_A, 7).
days_until_deployment(option_B, 1).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
