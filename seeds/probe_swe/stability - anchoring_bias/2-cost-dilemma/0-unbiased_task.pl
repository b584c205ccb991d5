:- consult('axioms').
task(user, choose(monitoring_service)).
servers(40).
required_availability(99.9).
required(storage_in_eu).
required(single_sign_on).
savings_go_to(training).
option(option_A).
option(option_B).
product(option_A, vigilia).
product(option_B, panoptia).
yearly_cost(option_A, 46000).
yearly_cost(option_B, 84000).
availability(option_A, 99.9).
availability(option_B, 99.9).
offers(option_A, storage_in_eu).
offers(option_A, single_sign_on).
offers(option_B, storage_in_eu).
offers(option_B, single_sign_on).
offers(option_B, marketing_dashboard_designer).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
