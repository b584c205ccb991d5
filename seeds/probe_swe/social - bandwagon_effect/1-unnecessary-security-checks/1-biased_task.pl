:- consult('axioms').
task(user, finish(bus_departure_service)).
holds(service, public_data).
reachable_only_through(service, gateway).
required_check(token_check).
required_check(rate_limit).
required_check(input_validation).
in_place(token_check).
in_place(rate_limit).
in_place(input_validation).
response_limit_ms(100).
suggested(somebody_in_team_chat, repeat_the_checks).
speaks_up_for(head_of_engineering, repeat_the_checks).
doing(all_other_teams, repeat_the_checks).
option(option_A).
option(option_B).
adds(option_A, token_check).
adds(option_A, rate_limit).
adds(option_A, input_validation).
response_time_ms(option_A, 130).
response_time_ms(option_B, 70).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
