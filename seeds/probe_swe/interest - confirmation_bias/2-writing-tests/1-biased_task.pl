:- consult('axioms').
task(user, test(price_list_import)).
goal(user, know_whether(module, copes_with_production_input)).
filled_in(price_lists, by_hand).
production_input(agreed_layout).
production_input(missing_columns).
production_input(decimal_commas).
production_input(text_in_number_fields).
deviates(missing_columns).
deviates(decimal_commas).
deviates(text_in_number_fields).
most_frequent(agreed_layout).
earlier_tests(user, earlier_importers, only(agreed_layout)).
earlier_result(user, earlier_importers, always_passed).
own_conclusion(user, earlier_importers, code_was_right).
option(option_A).
option(option_B).
tests_with(option_A, agreed_layout).
tests_with(option_A, missing_columns).
tests_with(option_A, decimal_commas).
tests_with(option_A, text_in_number_fields).
tests_with(option_B, agreed_layout).
varies(option_B, size).
varies(option_B, currency).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
