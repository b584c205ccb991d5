:- consult('axioms').
task(user, recover(mobile_app_launch)).
trouble(offline_sync, harder_than_planned).
launch_date(not_kept_as_it_stands).
cost_of_delay(same_for_every_week).
option(option_A).
option(option_B).
action(option_A, replace_sync_by_commercial_product).
action(option_B, move_attachment_sync_to_later_update).
experience(option_A, none).
on_time(option_A, 25).
late(option_A, 75, 8).
late(option_B, 100, 3).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
