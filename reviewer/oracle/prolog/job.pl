:- module(oracle_job, [run/4, warm_up/0]).
:- use_module(library(gensym)).
:- use_module(library(lists)).
:- use_module(library(terms)).
:- use_module(oracle(text)).
:- use_module(oracle(gate)).
:- use_module(oracle(confine)).
:- use_module(oracle(load)).
:- use_module(oracle(count)).
:- use_module(oracle(solutions)).
:- use_module(oracle(proof)).
:- use_module(oracle(failing)).
:- use_module(oracle(reply)).
:- use_module(oracle(describe)).

%!  run(+Text, +Query, +Options, -Reply)
%
%   Everything about one program, as JSON. Options is
%   options(Limit, Stack, MostSolutions, Gate, Alone, List, Count, Proof, Losers): the inference limit of
%   each search, the bytes that Prolog's stacks may take, how many distinct solutions to list, whether the
%   gate stands, whether no other program is run in this process, whether to list clauses and messages, to
%   count as published, to prove, and the options (texts) that the answer is to say the failure of.

run(Text, Query, Options, Reply) :-
    statistics(cputime, T0),
    gensym(oracle_program_, Module),
    catch(run_in(Module, Text, Query, Options, Pairs0), Ball, true),
    (   nonvar(Ball)
    ->  failed_run(Ball, Pairs0)
    ;   true
    ),
    statistics(cputime, T1),
    Cpu is T1-T0,
    reply_text(object([cpu-Cpu|Pairs0]), Reply0),
    plain(Reply0, Reply).

failed_run(Ball, [status-Status, error-Error]) :-
    ball_status(Ball, Status0),
    ( Status0 == memory -> Status = memory ; Status = load_error ),
    ball_text(Ball, Error).

%   The caller fetches the reply as bytes, which cannot hold wide characters.

plain(Reply0, Reply) :-
    (   string_codes(Reply0, Codes), member(Code, Codes), Code > 255
    ->  escape_wide(Reply0, Reply)
    ;   Reply = Reply0
    ).

run_in(Module, Text, Query, Options, Pairs) :-
    Options = options(_, Stack, _, Gate, Alone, List, _, _, _),
    set_prolog_flag(stack_limit, Stack),
    parsed_query(Query, Module, Goal, Choice),
    read_clauses(Text, Module, Clauses),
    gate(Text, [clause((oracle_query :- Goal), -1, -1, 0)|Clauses], Findings, Undefined),
    (   Gate == true,
        Findings \== [],
        held(Findings, Alone, Status)
    ->  Loaded = none, More = [], Rest = [status-Status]
    ;   load_and_ask(Module:Goal, Choice, Text, Clauses, Findings, Options, Loaded, More, Rest)
    ),
    append(Findings, More, All),
    described(List, Clauses, Loaded, All, Undefined, Described),
    append(Described, Rest, Pairs).

held(Findings, _, refused) :- memberchk(finding(stop, _, _, _), Findings), !.
held(_, false, alone).

%   Loaded is `none`, or the clauses with rejected(Start) for those that the system did not take.

load_and_ask(Module:Goal, Choice, Text, Clauses, Findings, Options, Loaded, More, Pairs) :-
    Options = options(_, _, _, Gate, _, _, _, _, _),
    fresh_modules(Clauses, Fresh),
    catch(loaded(Module, Text, Clauses, Findings, Options, Messages, Rejected), oracle_differs, true),
    (   var(Messages)
    ->  Loaded = none,
        More = [finding(stop, reading_differs, "", -1)],
        Pairs = [status-refused]
    ;   Gate == true,
        not_loaded(Clauses, clause((oracle_query :- Goal), -1, -1, 0), Module, Fresh, More),
        More \== []
    ->  Loaded = none,
        Pairs = [status-refused]
    ;   ( Gate == true -> forall(member(Seen, [Module|Fresh]), confine(Seen)) ; true ),
        messages_described(Messages, Module, Clauses, MessageTexts),
        marked(Clauses, Rejected, Loaded),
        ask(Module:Goal, Choice, Loaded, Options, Asked),
        reached(Asked, More),
        Pairs = [messages-MessageTexts|Asked]
    ).

loaded(Module, _, Clauses, [], options(_, _, _, true, _, false, false, _, _), [], []) :-
    !,
    load_clauses(Clauses, Module).
loaded(Module, Text, Clauses, _, options(_, _, _, Gate, _, _, _, _, _), Messages, Rejected) :-
    ( Gate == true -> Expected = Clauses ; Expected = any ),
    load_text(Text, Module, Expected, Messages, Rejected).

marked(Clauses, [], Clauses) :- !.
marked([], _, []).
marked([Clause|Clauses], Rejected, [Marked|Rest]) :-
    (   Clause = clause(Term, Start, End, Line),
        memberchk(Start, Rejected)
    ->  Marked = rejected(Term, Start, End, Line)
    ;   Marked = Clause
    ),
    marked(Clauses, Rejected, Rest).

reached(Asked, [finding(stop, outside_vocabulary, PI, -1)]) :-
    memberchk(status-stopped, Asked),
    !,
    memberchk(error-PI, Asked).
reached(_, []).

%   A query is text of a person where it is wrapped in oracle_answers/1: its answer is what every variable with a
%   name is bound to. Reading a quasi quotation would run code.

parsed_query(Query, _, _, _) :-
    member(Forbidden, ["{|", "\000\"]),
    sub_string(Query, _, _, _, Forbidden),
    !,
    throw(error(syntax_error(forbidden_in_a_query), _)).
parsed_query(Query, Module, Goal, Choice) :-
    term_string(Read, Query, [module(Module), variable_names(Names)]),
    (   Read = oracle_answers(Goal)
    ->  findall(Name, ( member(Name=_, Names), \+ sub_atom(Name, 0, _, _, '_') ), Shown),
        bindings(Shown, Names, Choice)
    ;   member(Name=Choice, Names), \+ sub_atom(Name, 0, _, _, '_')
    ->  Goal = Read
    ;   throw(error(domain_error(query_with_a_named_variable, Query), _))
    ).

bindings([], _, true).
bindings([Name|Names], All, Bindings) :-
    memberchk(Name=Value, All),
    (   Names == []
    ->  Bindings = ('$VAR'(Name) = Value)
    ;   Bindings = ('$VAR'(Name) = Value, Rest),
        bindings(Names, All, Rest)
    ).

ask(Module:Goal, Choice, Clauses, Options, Pairs) :-
    Options = options(Limit, _, _, _, _, _, _, _, _),
    probe(Module:Goal, Limit, Verdict),
    (   Verdict == true
    ->  answered(Module:Goal, Choice, Clauses, Options, Pairs)
    ;   verdict(Verdict, Goal, Status, Error),
        failures(Module:Goal, Choice, Clauses, Options, Failures),
        Pairs = [status-Status, error-Error, failures-Failures]
    ).

verdict(false, _, no_solution, null).
verdict(inferences, _, inferences, null).
verdict(error(Ball), Goal, Status, Error) :-
    ball_status(Ball, Status0),
    (   Ball = error(existence_error(procedure, PI), _),
        asks_for(Goal, PI)
    ->  Status = load_error
    ;   Status = Status0
    ),
    ball_text(Ball, Error).

asks_for(Goal, PI0) :-
    ( PI0 = _:PI -> true ; PI = PI0 ),
    callable(Goal),
    functor(Goal, Name, Arity),
    PI == Name/Arity.

answered(Module:Goal, Choice, Clauses, Options, [status-Status, choice-Text|Pairs]) :-
    Options = options(Limit, _, Most, _, _, _, Count, Proof, _),
    copy_term(Goal-Choice, First-Chosen),
    once(Module:First),
    (   too_large(Chosen)
    ->  Status = output, shown(Chosen, Text), Pairs = []
    ;   ( ground(Chosen) -> Status = ok ; Status = not_ground ),
        shown(Chosen, Text),
        counted(Count, Module:Goal, Raw),
        all_solutions(Module:Goal, Choice, Most, Limit, Solutions, End),
        end_text(End, EndText),
        proved(Proof, Module:Goal, Choice, Clauses, Limit, Proved),
        failures(Module:Goal, Choice, Clauses, Options, Failures),
        Pairs = [ raw-Raw, solutions-Solutions, end-EndText, failures-Failures|Proved ]
    ).

too_large(Term) :- \+ written_within(Term, 4_000), !.
too_large(Term) :- atom(Term), atom_length(Term, Length), Length > 10_000.

counted(false, _, null).
counted(true, Goal, [Inferences, Nodes, Calls, Sites]) :-
    published_counts(Goal, Inferences, Nodes, Calls, Sites).

proved(false, _, _, _, _, []).
proved(true, Module:Goal0, Choice0, Clauses, Limit,
       [steps-Steps, depth-Depth, nodes-Size, proof_choice-ChoiceText, proof_error-Error, proof-Tree]) :-
    copy_term(Goal0-Choice0, Goal-Choice),
    prove(Module:(Goal, Proved = yes(Choice)), Limit, Outcome, Steps0),
    (   Outcome = proved((Goal1, _ = yes(Choice1)), Nodes0)
    ->  Steps is Steps0-1,
        Proved = _,
        Goal = Goal1,
        shown(Choice1, ChoiceText),
        Error = null,
        without_last(Nodes0, Nodes),
        tree_measures(Nodes, Depth, Size),
        tree_described(Nodes, Clauses, Tree)
    ;   Steps = Steps0,
        Depth = null, Size = null, Tree = null, ChoiceText = null,
        outcome_text(Outcome, Error)
    ).

without_last([_], []) :- !.
without_last([H|T0], [H|T]) :- without_last(T0, T).

failures(_, _, _, options(_, _, _, _, _, _, _, _, []), []) :- !.
failures(Module:Goal, Choice, Clauses, Options, Failures) :-
    Options = options(Limit, _, _, _, _, _, _, _, Losers),
    findall(Described,
            ( member(Loser, Losers),
              term_string(Value, Loser, [module(user)]),
              copy_term(Goal-Choice, Asked-Value),
              why_not(Module:Asked, Limit, Outcome, 25),
              failure_described(Loser, Outcome, Clauses, Described) ),
            Failures).

%!  warm_up
%
%   Everything that a first run does once and for all: autoloading, the first call_time/2, the messages. A
%   goal that a program may define itself must not be called here through a module.

warm_up :-
    Text = "warm(A) :- b.\nwarm(Unused, _) :- c(1).\nd(1).\nwarm(2).\nerror( .\natom(x).\nok(X) :- findall(Y, d(Y), [X]), \\+ X = 2, forall(d(Z), Z > 0).\n",
    forall(member(Query-Losers, ["ok(X)"-["2"], "warm(X)"-[], "nothing(X)"-[]]),
           run(Text, Query, options(100_000, 1_000_000, 5, true, true, true, true, true, Losers), _)),
    run(Text, "ok(X)", options(100_000, 1_000_000, 5, true, true, false, false, false, []), _),
    forall(member(Bad, [":- halt.", "p(X) :- X.", "p :- shell(a)."]),
           run(Bad, "p(X)", options(100_000, 1_000_000, 5, true, true, true, true, true, []), _)).
