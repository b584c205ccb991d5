:- module(oracle_count, [probe/3, published_counts/5]).
:- use_module(library(statistics)).
:- use_module(library(lists)).

:- meta_predicate probe(0, +, -), published_counts(0, -, -, -, -).

%!  probe(:Goal, +Limit, -Verdict)
%
%   Run Goal once before it is counted, as the published way does. Verdict is true, false, inferences (the
%   limit was reached) or error(Ball).

probe(Goal, Limit, Verdict) :-
    catch(call_with_inference_limit(probe_once(Goal, Found), Limit, Result), Ball, true),
    (   nonvar(Ball)
    ->  Verdict = error(Ball)
    ;   Result == inference_limit_exceeded
    ->  Verdict = inferences
    ;   Verdict = Found
    ).

probe_once(Goal, Found) :-
    ( \+ \+ Goal -> Found = true ; Found = false ).

%!  published_counts(:Goal, -Inferences, -Nodes, -FindallCalls, -FindallSites)
%
%   What call_time/2 and the profiler say of the first solution of Goal, on this version; and how often
%   findall/3 or /4 made a bag in that run, and from how many nodes: versions differ in what those cost.

published_counts(Goal, Inferences, Nodes, Calls, Sites) :-
    copy_term(Goal, Timed),
    copy_term(Goal, Profiled),
    undisturbed(timed(Timed, Inferences)),
    undisturbed(profile_silently(Profiled, Nodes, Calls, Sites)).

%   A garbage collection on the way counts as a call and as a node, and when it comes depends on what ran
%   before: it waits, unless there is not enough memory to wait.

undisturbed(Goal) :-
    garbage_collect,
    catch(with_collection(false, Goal), error(resource_error(_), _), with_collection(true, Goal)).

with_collection(Wanted, Goal) :-
    current_prolog_flag(gc, Gc),
    current_prolog_flag(agc_margin, Margin),
    set_prolog_flag(gc, Wanted),
    ( Wanted == false -> set_prolog_flag(agc_margin, 0) ; true ),
    catch(( Goal -> Found = true ; Found = false ), Ball, true),
    set_prolog_flag(gc, Gc),
    set_prolog_flag(agc_margin, Margin),
    ( nonvar(Ball) -> throw(Ball) ; Found == true ).

timed(Goal, Inferences) :-
    (   call_time(Goal, Time)
    ->  Inferences = Time.inferences
    ).

profile_silently(Goal, Nodes, Calls, Sites) :-
    ignore(profiled(Goal)),
    profiler(_, false),
    '$prof_statistics'(_, _, _, _, Nodes),
    findall(Count, bag_node(Count), Counts),
    length(Counts, Sites),
    sum_list(Counts, Calls).

profiled(Goal) :-
    current_predicate(system:'$profile'/2),
    !,
    '$profile'(Goal, cputime).
profiled(Goal) :-
    current_predicate(system:'$profile'/4),
    !,
    '$profile'(Goal, cputime, 200, classic).
profiled(Goal) :-
    '$profile'(Goal, cputime, 200).

bag_node(Calls) :-
    node_below(Node, -),
    '$prof_node'(Node, Predicate, Calls, _, _, _, _, _),
    bag_maker(Predicate).

bag_maker(_:'$new_findall_bag').
bag_maker('$new_findall_bag'/0).
bag_maker(_:'$new_findall_bag'/0).

node_below(Node, Root) :-
    '$prof_sibling_of'(Child, Root),
    (   Node = Child
    ;   node_below(Node, Child)
    ).
