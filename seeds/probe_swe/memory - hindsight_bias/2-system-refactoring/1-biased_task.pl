:- consult('axioms').
task(user, restructure(pay_module)).
changed(user, pay_module).
people_affected(pay_module, 6000).
state_before(pay_module, untested).
state_before(pay_module, undocumented_rules).
safeguard(pay_module, automated_tests, skipped).
safeguard(pay_module, code_review, skipped).
safeguard(pay_module, trial_by_hand(three_pay_slips), done).
safeguard(pay_module, gradual_switch, skipped).
safeguard(pay_module, way_back, skipped).
urgency(pay_module, none).
switched_over(all_employees, first_of_october).
in_use(new_version, since_switch).
results_since(pay_module, every_pay_slip_correct).
looking_back(user, clear_from_start(would_work_out)).
verdict(option_A, appropriate).
verdict(option_B, inappropriate).
decide_option(user, Option) :-
    judged(user, Judgement),
    verdict(Option, Judgement).
