risky(Change) :-
    people_affected(Change, People),
    People >= 100,
    fragile(Change).
fragile(Change) :-
    state_before(Change, untested).
fragile(Change) :-
    state_before(Change, undocumented_rules).
needs(_, code_review).
needs(Change, automated_tests) :-
    risky(Change).
needs(Change, gradual_switch) :-
    risky(Change).
needs(Change, way_back) :-
    risky(Change).
excused(Change) :-
    urgency(Change, emergency).
safeguarded(Change) :-
    forall(needs(Change, Safeguard), safeguard(Change, Safeguard, done)).
acceptable(Change) :-
    excused(Change).
acceptable(Change) :-
    \+ excused(Change),
    safeguarded(Change).
judged(Person, appropriate) :-
    changed(Person, Change),
    acceptable(Change).
judged(Person, inappropriate) :-
    changed(Person, Change),
    \+ acceptable(Change).
