:- consult('axioms').
task(user, release(login, health_app)).
defect(tokens_in_log).
readers(tokens_in_log, support_agents(40)).
exposes(tokens_in_log, credentials).
days_until_planned_release(2).
date_set_by(own_team).
depends_on_date(no_customer).
must_decide(user, when_to_fix(tokens_in_log)).
worded_as_loss(option_A, sit_on_finished_login).
worded_as_loss(option_A, lose_whole_days).
worded_as_gain(option_B, fresh_login_in_users_hands).
worded_as_gain(option_B, on_schedule).
worded_as_gain(option_B, neatly_tidied_up).
option(option_A).
option(option_B).
postponed_days(option_A, 7).
postponed_days(option_B, 0).
removed(option_A, tokens_in_log, before_release).
removed(option_B, tokens_in_log, after_release).
tested(option_A, before_release).
tested(option_B, after_release).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
