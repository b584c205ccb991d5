release_blocker(Defect) :-
    exposes(Defect, Asset),
    confidential(Asset).
confidential(credentials).
confidential(personal_data).
ships(Option, Defect) :-
    removed(Option, Defect, after_release).
movable(Option) :-
    postponed_days(Option, 0).
movable(Option) :-
    postponed_days(Option, Days),
    Days > 0,
    date_set_by(own_team).
best_practice(Option) :-
    movable(Option),
    \+ (release_blocker(Defect), ships(Option, Defect)).
