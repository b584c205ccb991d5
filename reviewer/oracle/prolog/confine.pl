:- module(oracle_confine, [provide_vocabulary/0, confine/1, outside/2, known_to_system/1, in_system/1]).
:- use_module(library(lists)).
:- use_module(oracle(vocabulary)).

/*  What a program can call is what its module can see. A module inherits from `user` and so from `system`:
    all of SWI-Prolog. Once a program is loaded, its module inherits from `oracle_names` instead, which holds
    the vocabulary and inherits from nothing. A call of any other name, also one that is made at run time,
    finds no predicate: it raises an error that says which. Counts stay as they are, because the predicates
    are the same and nothing stands between them and their callers.
*/

:- multifile user:exception/3.
:- dynamic user:exception/3, in_library/2.

%   Without this the system would look for the name in its libraries and load one.

user:exception(undefined_predicate, Module:_, error) :-
    import_module(Module, oracle_names).

%!  provide_vocabulary
%
%   Fill oracle_names. Called once, when a worker starts.

provide_vocabulary :-
    add_import_module(oracle_names, system, end),
    delete_import_module(oracle_names, user),
    delete_import_module(oracle_names, system),
    imitate,
    forall(( callable_name(Name/Arity), \+ imitated(Name/Arity) ), provide(Name, Arity)),
    complete.

%   A jailed child opens no file, and the system looks for its index of libraries again once it is a minute old:
%   what a library calls is loaded now (which turning the flag off does), and what libraries have is written down,
%   so that no answer depends on a worker's age.

complete :-
    forall('$in_library'(Name, Arity, _), assertz(in_library(Name, Arity))),
    compile_predicates([in_library/2]),
    set_prolog_flag(autoload, false),
    set_prolog_flag(autoload, true).

callable_name(PI) :- pure(PI).
callable_name(PI) :- harmless(PI).
callable_name(Name/Arity) :- meta(Goal, _), name_arity(Goal, Name, Arity).
callable_name(Name/Arity) :- control(Goal, _), name_arity(Goal, Name, Arity).

name_arity(Goal, Goal, 0) :- atom(Goal), !.
name_arity(Goal, Name, Arity) :- compound_name_arity(Goal, Name, Arity).

provide(Name, Arity) :-
    in_system(Name/Arity),
    !,
    @(import(system:Name/Arity), oracle_names).
provide(Name, Arity) :-
    '$in_library'(Name, Arity, Path),
    !,
    oracle_libraries:use_module(Path),
    head(Name, Arity, Head),
    predicate_property(oracle_libraries:Head, imported_from(Library)),
    @(import(Library:Name/Arity), oracle_names).
provide(_, _).

%   In SWI-Prolog the first three look up flags of the system and of its debugger, and find none for what a case
%   is about. They do so here too, in as many steps; but a program cannot ask about this machine.

imitated(feature/2).
imitated(debugging/1).
imitated(debugging/2).
imitated('.'/3).

imitate :-
    dynamic(oracle_names:'$no flag'/2),
    dynamic(oracle_names:'$no topic'/3),
    assertz(oracle_names:( feature(Key, Value) :- '$no flag'(Key, Value) )),
    assertz(oracle_names:( debugging(Topic) :- '$no topic'(Topic, true, _) )),
    assertz(oracle_names:( debugging(Topic, On) :- '$no topic'(Topic, On, _) )),
    compound_name_arguments(Function, '.', [Data, Name, Value]),
    assertz(oracle_names:( Function :- oracle_confine:dict_function(Data, Name, Value) )),
    compile_predicates([ oracle_names:feature/2, oracle_names:debugging/1, oracle_names:debugging/2 ]).

dict_function(Data, _, _) :-
    is_dict(Data),
    !,
    throw(error(existence_error(procedure, '.'/3), _)).
dict_function(Data, _, _) :-
    throw(error(type_error(dict, Data), _)).

%!  confine(+Module)
%
%   From now on the module sees its own predicates and the vocabulary.

confine(Module) :-
    forall(import_module(Module, Base), delete_import_module(Module, Base)),
    add_import_module(Module, oracle_names, start).

%!  outside(+Ball, -Indicator)
%
%   True when Ball says that a confined program called a predicate that the system has.

outside(Ball, Name/Arity) :-
    nonvar(Ball),
    Ball = error(Formal, _),
    nonvar(Formal),
    Formal = existence_error(procedure, PI),
    ( PI = Module:Name/Arity -> import_module(Module, oracle_names) ; PI = Name/Arity ),
    known_to_system(Name/Arity).

%!  in_system(+Indicator)
%
%   True when the system itself has the predicate.

in_system(Name/Arity) :-
    integer(Arity), Arity >= 0, Arity < 200,
    head(Name, Arity, Head),
    '$c_current_predicate'(_, system:Head),
    '$get_predicate_attribute'(system:Head, defined, 1).

%!  known_to_system(+Indicator)
%
%   True when the system or one of its libraries has the predicate.

known_to_system(PI) :-
    in_system(PI),
    !.
known_to_system(Name/Arity) :-
    in_library(Name, Arity),
    !.

head(Name, Arity, Head) :-
    ( Arity == 0 -> Head = Name ; compound_name_arity(Head, Name, Arity) ).
