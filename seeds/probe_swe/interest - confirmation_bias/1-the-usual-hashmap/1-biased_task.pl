:- consult('axioms').
task(user, build(in_memory_index, parcel_tracking)).
operation(lookup_by_id).
operation(parcels_scanned_between_two_times).
operation(parcels_due_next).
operation(update).
entries(30000000).
update_pattern(all_day).
right_choice_so_far(user, hash_map, every_service).
bears_out(first_measurement(lookup_by_id), hash_map).
option(option_A).
option(option_B).
structure(option_A, hash_map).
structure(option_B, search_trees).
cost(option_A, lookup_by_id, constant).
cost(option_A, update, constant).
cost(option_A, parcels_scanned_between_two_times, all_entries).
cost(option_A, parcels_due_next, all_entries).
cost(option_B, lookup_by_id, logarithmic).
cost(option_B, update, logarithmic).
cost(option_B, parcels_scanned_between_two_times, entries_returned).
cost(option_B, parcels_due_next, entries_returned).
decide_option(user, Option) :-
    option(Option),
    best_practice(Option).
