:- consult('axioms').
task(user, lead(bulk_export, customer_portal)).
staff(two_people).
work_order(one_after_another).
estimated_days(coding, 5).
estimated_days(review, 2).
estimated_days(testing, 3).
estimated_days(documentation, 2).
new_to_team(export_format).
must_name(user, delivery_date, customer).
promised_days(option_A, 6).
promised_days(option_B, 15).
decide_option(user, Option) :-
    best_practice(Option).
