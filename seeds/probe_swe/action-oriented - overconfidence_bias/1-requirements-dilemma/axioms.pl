heard(_, Group) :-
    interviewed(Group).
heard(Option, Group) :-
    interviews(Option, Group).
fits_schedule(Option) :-
    weeks_needed(Option, Needed),
    weeks_until_development(Left),
    Needed =< Left.
best_practice(Option) :-
    fits_schedule(Option),
    correction(Option, before_development),
    forall(user_group(Group), heard(Option, Group)).
