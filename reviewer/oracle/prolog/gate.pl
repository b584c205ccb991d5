:- module(oracle_gate, [gate/4, not_loaded/5, fresh_modules/2]).
:- use_module(library(lists)).
:- use_module(oracle(confine)).
:- use_module(oracle(vocabulary)).
:- use_module(oracle(text)).

%!  gate(+Text, +Clauses, -Findings:list, -Undefined:list)
%
%   What speaks against running the text. A finding is finding(Severity, Kind, Detail, Start):
%   `stop` for a text that is not to be loaded, because it names something dangerous; `accident` for what
%   runs alone: a clause that the system rejects or keeps in a module of its own, a name that the system has
%   too, a variable goal or a dict in a text that names nothing risky. Undefined lists Name/Arity of the
%   predicates called that neither text nor system defines.
%
%   A call of a system predicate that is neither dangerous nor in the vocabulary is an accident here:
%   oracle_confine stops the program when the call is reached.

gate(Text, Clauses, Findings, Undefined) :-
    b_setval(oracle_fresh, []),
    defined(Clauses, Defined),
    findall(F, text_finding(Text, F), F0),
    findall(F, ( member(clause(Term, Start, _, _), Clauses),
                 clause_finding(Term, Start, Defined, F) ), F1),
    append(F0, F1, All),
    findall(PI, member(undefined(PI), All), Missing),
    sort(Missing, Undefined),
    judged_all(All, Clauses, Findings).

%!  not_loaded(+Clauses, +Query, +Module, +Fresh:list, -Findings:list)
%
%   What is to stop a text that is loaded into Module and the Fresh modules: it calls by name a predicate of
%   its own, which gate/4 therefore let pass, but the system took none of the clauses, so that the call
%   reaches the system's.

not_loaded(Clauses, Query, Module, Fresh, Findings) :-
    b_setval(oracle_fresh, Fresh),
    defined(Clauses, Defined),
    findall(PI, ( member(PI, Defined), has_clauses(PI, Module) ), Loaded),
    (   Loaded == Defined
    ->  Findings = []
    ;   findall(F, ( member(clause(Term, Start, _, _), [Query|Clauses]),
                     clause_finding(Term, Start, Loaded, F) ), All),
        judged_all(All, Clauses, Judged),
        findall(finding(stop, Kind, Detail, Start),
                member(finding(stop, Kind, Detail, Start), Judged),
                Findings)
    ).

has_clauses(Module:PI, _) :- !, has_clauses(PI, Module).
has_clauses(Name/Arity, Module) :-
    current_module(Module),
    ( Arity == 0 -> Head = Name ; compound_name_arity(Head, Name, Arity) ),
    '$c_current_predicate'(_, Module:Head),
    '$get_predicate_attribute'(Module:Head, defined, 1),
    \+ '$get_predicate_attribute'(Module:Head, imported, _).

judged_all(All, Clauses, Findings) :-
    findall(F, ( member(F0, All), judged(F0, Clauses, F) ), Found),
    sort(Found, Findings).

judged(finding(Severity, Kind, Detail, Start), _, finding(Severity, Kind, Detail, Start)).
judged(suspect(Kind, Detail, Start), Clauses, finding(Severity, Kind, Detail, Start)) :-
    (   member(clause(Term, _, _, _), Clauses),
        Term \= (:- _),
        risky_name(Term)
    ->  Severity = stop
    ;   Severity = accident
    ).

text_finding(Text, finding(stop, quasi_quotation, "{|", 0)) :-
    sub_string(Text, _, _, _, "{|"),
    !.
text_finding(Text, finding(stop, nul_character, "NUL", 0)) :-
    sub_string(Text, _, _, _, "\000\"),
    !.

%   Defined: the Name/Arity, or Module:Name/Arity, that have a clause or a dynamic declaration in the text, sorted.

defined(Clauses, Defined) :-
    findall(PI,
            ( member(clause(Term, _, _, _), Clauses), defines(Term, PI) ),
            List),
    sort(List, Defined).

defines((:- dynamic(Spec)), PI) :- !, indicators(Spec, PIs), member(PI, PIs).
defines((:- _), _) :- !, fail.
defines((?- _), _) :- !, fail.
defines((Head --> _), PI) :-
    !,
    nonvar(Head),
    ( Head = (Head1, _) -> true ; Head1 = Head ),
    indicator(Head1, Name/A0),
    A is A0+2,
    PI = Name/A.
defines((Head :- _), PI) :- !, defines_head(Head, PI).
defines([Term|Terms], PI) :- !, ( defines(Term, PI) ; defines(Terms, PI) ).
defines(Head, PI) :- defines_head(Head, PI).

%   A clause for a module of its own defines nothing that a plain call sees.

defines_head(Head, _) :- var(Head), !, fail.
defines_head(Module:Head, Module:PI) :- !, nonvar(Head), indicator(Head, PI).
defines_head(Head, PI) :- indicator(Head, PI).

indicator(Term, Name/Arity) :-
    callable(Term),
    (   atom(Term)
    ->  Name = Term, Arity = 0
    ;   compound_name_arity(Term, Name, Arity)
    ).

indicators(Spec, _) :- var(Spec), !, fail.
indicators([], []) :- !.
indicators([A|B], PIs) :- !, indicators(A, As), indicators(B, Bs), append(As, Bs, PIs).
indicators((A, B), PIs) :- !, indicators(A, As), indicators(B, Bs), append(As, Bs, PIs).
indicators(Name/Arity, [Name/Arity]) :- atom(Name), integer(Arity).
indicators(Name//Arity0, [Name/Arity]) :- atom(Name), integer(Arity0), Arity is Arity0+2.
indicators(Module:Spec, PIs) :- fresh(Module), indicators(Spec, PIs).

%!  fresh_modules(+Clauses, -Modules:list)
%
%   The names that the text uses as modules and that are none of the system.

fresh_modules(Clauses, Modules) :-
    findall(Module,
            ( member(clause(Term, _, _, _), Clauses),
              sub_term_of(Module:_, Term),
              fresh(Module) ),
            List),
    sort(List, Modules).

%   Those of the text that is loaded exist by then.
fresh(Module) :-
    nb_current(oracle_fresh, Fresh),
    atom(Module),
    memberchk(Module, Fresh),
    !.
fresh(Module) :-
    atom(Module),
    \+ current_module(Module),
    \+ sub_atom(Module, 0, _, _, $),
    \+ sub_atom(Module, 0, _, _, oracle_).


                 /*******************************
                 *            CLAUSES           *
                 *******************************/

clause_finding(Term, Start, _, suspect(dict, Detail, Start)) :-
    has_dict(Term),
    !,
    shown_limited(Term, 200, Detail).
clause_finding((:- Directive), Start, _, Finding) :-
    !,
    \+ harmless_directive(Directive),
    (   declares_system_names(Directive)
    ->  accident(system_name, Directive, Start, Finding)
    ;   stop(directive, Directive, Start, Finding)
    ).
clause_finding((?- Directive), Start, _, Finding) :-
    !,
    stop(directive, Directive, Start, Finding).
%   The system loads each term of a list.
clause_finding([], _, _, _) :- !, fail.
clause_finding([Term|Terms], Start, Defined, Finding) :-
    !,
    (   accident(clause_list, [Term|Terms], Start, Finding)
    ;   terms_finding([Term|Terms], Start, Defined, Finding)
    ).
%   Single-sided unification rules have bodies in places where this gate does not look.
clause_finding(Term, Start, _, Finding) :-
    rule_of_another_form(Term),
    !,
    stop(rule_form, Term, Start, Finding).
clause_finding((Head --> Body), Start, Defined, Finding) :-
    !,
    (   catch(dcg_translate_rule((Head --> Body), Clause), _, fail)
    ->  clause_finding(Clause, Start, Defined, Finding)
    ;   stop(grammar_rule, Head, Start, Finding)
    ).
clause_finding(Module:(Head :- Body), Start, Defined, Finding) :-
    !,
    clause_finding((Module:Head :- Body), Start, Defined, Finding).
clause_finding((Head :- Body), Start, Defined, Finding) :-
    !,
    (   head_finding(Head, Start, Finding)
    ;   body_finding(Body, Defined, Start, Finding)
    ).
clause_finding(Head, Start, _, Finding) :-
    head_finding(Head, Start, Finding).

terms_finding(Tail, Start, Defined, Finding) :-
    ( var(Tail) -> true ; Tail \= [_|_] ),
    !,
    clause_finding(Tail, Start, Defined, Finding).
terms_finding([Term|Terms], Start, Defined, Finding) :-
    (   clause_finding(Term, Start, Defined, Finding)
    ;   terms_finding(Terms, Start, Defined, Finding)
    ).

rule_of_another_form((_ => _)).
rule_of_another_form('==>'(_, _)).
rule_of_another_form(Module:Clause) :- rule_in_module(Module, Clause).

rule_in_module(_, Clause) :- var(Clause), !.
rule_in_module(_, (:- _)).
rule_in_module(_, (?- _)).
rule_in_module(_, (_ --> _)).
rule_in_module(_, [_|_]).
rule_in_module(_, (_ => _)).
rule_in_module(_, '==>'(_, _)).
rule_in_module(_, _:_).

head_finding(Head, Start, Finding) :-
    (   \+ callable(Head)
    ->  accident(head_is_no_predicate, Head, Start, Finding)
    ;   Head = Module:Plain
    ->  (   fresh(Module), nonvar(Plain), Plain \= _:_
        ->  (   accident(module_clause, Head, Start, Finding)
            ;   head_finding(Plain, Start, Finding)
            )
        ;   stop(qualified_head, Head, Start, Finding)
        )
    ;   rejected_head(Head)
    ->  indicator(Head, PI),
        accident(rejected_head, PI, Start, Finding)
    ;   indicator(Head, Name/Arity),
        (   ( hook(Name) ; sub_atom(Name, 0, _, _, $) )
        ->  stop(hook, Name/Arity, Start, Finding)
        ;   in_system(Name/Arity)
        ->  accident(system_name, Name/Arity, Start, Finding)
        )
    ).

%   The system refuses clauses for what the standard prescribes.

rejected_head(Head) :-
    indicator(Head, PI),
    (   control(Head, _)
    ->  true
    ;   prescribed(PI)
    ).

harmless_directive(Directive) :- var(Directive), !, fail.
harmless_directive(discontiguous(Spec)) :- plain_indicators(Spec).
harmless_directive(dynamic(Spec)) :- plain_indicators(Spec).
harmless_directive(use_module(library(Library))) :- atom(Library), loadable_library(Library).
harmless_directive(ensure_loaded(library(Library))) :- atom(Library), loadable_library(Library).

plain_indicators(Spec) :-
    indicators(Spec, PIs),
    \+ ( member(PI, PIs), \+ ( own_name(PI), \+ in_system(PI) ) ).

declares_system_names(Directive) :-
    nonvar(Directive),
    ( Directive = dynamic(Spec) ; Directive = discontiguous(Spec) ),
    !,
    indicators(Spec, PIs),
    \+ ( member(PI, PIs), \+ ( own_name(PI), \+ prescribed(PI) ) ).

own_name(Name/_) :-
    \+ hook(Name),
    \+ sub_atom(Name, 0, _, _, $).


                 /*******************************
                 *             GOALS            *
                 *******************************/

body_finding(Goal, _, Start, Finding) :-
    var(Goal),
    !,
    Finding = suspect(variable_goal, "a variable is called as a goal", Start).
body_finding(Goal, _, Start, Finding) :-
    \+ callable(Goal),
    !,
    accident(goal_is_no_predicate, Goal, Start, Finding).
body_finding(Goal, Defined, Start, Finding) :-
    control(Goal, Goals),
    !,
    member(G, Goals),
    body_finding(G, Defined, Start, Finding).
%   The system compiles a bar as a disjunction.
body_finding('|'(A, B), Defined, Start, Finding) :-
    !,
    member(Goal, [A, B]),
    body_finding(Goal, Defined, Start, Finding).
body_finding(Module:Goal, Defined, Start, Finding) :-
    !,
    (   callable(Goal),
        fresh(Module)
    ->  (   accident(module_goal, Module:Goal, Start, Finding)
        ;   indicator(Goal, PI),
            \+ memberchk(Module:PI, Defined),
            body_finding(Goal, [], Start, Finding)
        )
    ;   stop(qualified_goal, Module:Goal, Start, Finding)
    ).
%   The system compiles a call of @/2 as a call in another module, also where the text defines it.
body_finding(@(Goal, Module), _, Start, Finding) :-
    !,
    stop(qualified_goal, @(Goal, Module), Start, Finding).
body_finding(Goal, _, Start, Finding) :-
    calculation(Goal),
    sub_term_of(Function, Goal),
    varying(Function, Kind, Shown),
    !,
    stop(Kind, Shown, Start, Finding).
body_finding(Goal, Defined, Start, Finding) :-
    indicator(Goal, PI),
    \+ own(PI, Defined),
    (   meta(Goal, Calls)
    ->  member(Closure-Extra, Calls),
        closure_finding(Extra, Closure, Defined, Start, Finding)
    ;   \+ pure(PI),
        goal_finding(PI, Goal, Start, Finding)
    ).

calculation(_ is _).
calculation(_ =:= _).
calculation(_ =\= _).
calculation(_ < _).
calculation(_ > _).
calculation(_ =< _).
calculation(_ >= _).

%   Functions that give another number at each call.

varying(cputime, clock, cputime).
varying(realtime, clock, realtime).
varying(random, chance, random).
varying(random_float, chance, random_float).
varying(random(_), chance, random/1).

%   A predicate of the text itself. A text cannot replace what the standard prescribes: there its clauses
%   are refused at loading, and a call reaches the system's predicate.

own(PI, Defined) :-
    memberchk(PI, Defined),
    \+ prescribed(PI).

closure_finding(^, Goal, Defined, Start, Finding) :-
    !,
    without_carets(Goal, Inner),
    body_finding(Inner, Defined, Start, Finding).
%   phrase/2 and phrase/3 translate a grammar body when they are called.
closure_finding(//, Body, Defined, Start, Finding) :-
    !,
    (   var(Body)
    ->  body_finding(Body, Defined, Start, Finding)
    ;   catch(dcg_translate_rule((oracle_body --> Body), (_ :- Goal)), _, fail)
    ->  body_finding(Goal, Defined, Start, Finding)
    ;   stop(grammar_rule, Body, Start, Finding)
    ).
closure_finding(0, Goal, Defined, Start, Finding) :-
    !,
    body_finding(Goal, Defined, Start, Finding).
closure_finding(_, Closure, Defined, Start, Finding) :-
    ( var(Closure) ; \+ callable(Closure) ),
    !,
    body_finding(Closure, Defined, Start, Finding).
closure_finding(Extra, Module:Closure, Defined, Start, Finding) :-
    !,
    (   nonvar(Closure), Closure \= _:_,
        fresh(Module)
    ->  closure_finding(Extra, Closure, [], Start, Finding)
    ;   body_finding(Module:Closure, Defined, Start, Finding)
    ).
closure_finding(Extra, Closure, Defined, Start, Finding) :-
    length(More, Extra),
    Closure =.. List0,
    append(List0, More, List),
    Goal =.. List,
    body_finding(Goal, Defined, Start, Finding).

without_carets(Goal, Goal) :- var(Goal), !.
without_carets(_^Goal0, Goal) :- !, without_carets(Goal0, Goal).
without_carets(Goal, Goal).

%   A call of what the standard prescribes is bound to the system's predicate when it is loaded, whatever the
%   program's module sees: outside the vocabulary it counts as dangerous.

goal_finding(PI, Goal, Start, Finding) :-
    (   \+ known_to_system(PI)
    ->  Finding = undefined(PI)
    ;   ( dangerous(PI) ; prescribed(PI) )
    ->  stop(forbidden_goal, PI, Start, Finding)
    ;   \+ harmless(PI),
        dangerous_within(Goal, Inner)
    ->  stop(forbidden_goal, Inner, Start, Finding)
    ;   accident(system_name, PI, Start, Finding)
    ).

%   A system predicate may call its arguments.

dangerous_within(Goal, Name/Arity) :-
    sub_term_of(Sub, Goal),
    Sub \== Goal,
    compound(Sub),
    indicator(Sub, Name/Arity),
    dangerous(Name/Arity),
    in_system_any(Name),
    !.


                 /*******************************
                 *             NAMES            *
                 *******************************/

stop(Kind, What, Start, finding(stop, Kind, Detail, Start)) :-
    shown_limited(What, 200, Detail).

accident(Kind, What, Start, finding(accident, Kind, Detail, Start)) :-
    shown_limited(What, 200, Detail).

prescribed(Name/Arity) :-
    in_system(Name/Arity),
    (   Arity == 0 -> Head = Name ; compound_name_arity(Head, Name, Arity) ),
    predicate_property(system:Head, iso).

%   A name anywhere in the text, called or not, that a variable goal could be bound to.

risky_name(Term) :-
    sub_term_of(Sub, Term),
    indicator(Sub, Name/_),
    ( effect(Name), in_system_any(Name) ; atom_builder(Name) ; Name == (:) ; Name == @ ),
    !.

in_system_any(Name) :-
    between(0, 8, Arity),
    known_to_system(Name/Arity),
    !.

sub_term_of(Term, Term) :- nonvar(Term).
sub_term_of(Sub, Term) :-
    compound(Term),
    compound_name_arguments(Term, _, Args),
    member(Arg, Args),
    sub_term_of(Sub, Arg).

has_dict(Term) :-
    sub_term_of(Sub, Term),
    compound(Sub),
    (   is_dict(Sub)
    ;   compound_name_arity(Sub, '.', 2)
    ),
    !.
