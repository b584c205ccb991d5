:- module(oracle_vocabulary,
          [ pure/1, meta/2, control/2, harmless/1, hook/1, dangerous/1, effect/1, atom_builder/1,
            loadable_library/1
          ]).

%!  pure(?Indicator)
%
%   Built-ins that compute on their arguments and touch nothing else.

pure(Name/Arity) :-
    pure_(Name, Arities),
    memberchk(Arity, Arities).

pure_(true, [0]).               pure_(false, [0]).              pure_(fail, [0]).
pure_(!, [0]).                  pure_(=, [2]).                  pure_(\=, [2]).
pure_(==, [2]).                 pure_(\==, [2]).                pure_(=@=, [2]).
pure_(\=@=, [2]).               pure_(@<, [2]).                 pure_(@>, [2]).
pure_(@=<, [2]).                pure_(@>=, [2]).                pure_(compare, [3]).
pure_(is, [2]).                 pure_(=:=, [2]).                pure_(=\=, [2]).
pure_(<, [2]).                  pure_(>, [2]).                  pure_(=<, [2]).
pure_(>=, [2]).                 pure_(succ, [2]).               pure_(plus, [3]).
pure_(between, [3]).            pure_(var, [1]).                pure_(nonvar, [1]).
pure_(atom, [1]).               pure_(number, [1]).             pure_(integer, [1]).
pure_(float, [1]).              pure_(atomic, [1]).             pure_(compound, [1]).
pure_(callable, [1]).           pure_(ground, [1]).             pure_(is_list, [1]).
pure_(string, [1]).             pure_(functor, [3]).            pure_(arg, [3]).
pure_(copy_term, [2]).          pure_(length, [2]).             pure_(atom_length, [2]).
pure_(msort, [2]).              pure_(sort, [2, 4]).
pure_(member, [2]).             pure_(memberchk, [2]).          pure_(append, [2, 3]).
pure_(reverse, [2]).            pure_(nth0, [3]).               pure_(nth1, [3]).
pure_(last, [2]).               pure_(sum_list, [2]).           pure_(sumlist, [2]).
pure_(max_list, [2]).           pure_(min_list, [2]).           pure_(max_member, [2]).
pure_(min_member, [2]).         pure_(list_to_set, [2]).        pure_(subtract, [3]).
pure_(intersection, [3]).       pure_(union, [3]).              pure_(subset, [2]).
pure_(delete, [3]).             pure_(select, [3, 4]).
pure_(selectchk, [3]).          pure_(permutation, [2]).        pure_(flatten, [2]).
     pure_(numlist, [3]).            pure_(keysort, [2]).
pure_(pairs_keys_values, [3]).  pure_(pairs_keys, [2]).         pure_(pairs_values, [2]).
pure_(dif, [2]).                pure_(unify_with_occurs_check, [2]).
pure_(=.., [2]).                pure_(atom_chars, [2]).         pure_(atom_codes, [2]).
pure_(atom_number, [2]).        pure_(number_codes, [2]).       pure_(atom_concat, [3]).
pure_(atom_string, [2]).        pure_(upcase_atom, [2]).        pure_(downcase_atom, [2]).
pure_(sub_atom, [5]).           pure_(char_code, [2]).          pure_(atomic_list_concat, [2, 3]).
pure_(string_concat, [3]).      pure_(string_lower, [2]).       pure_(string_upper, [2]).
pure_(repeat, [0]).             pure_(string_length, [2]).      pure_(sub_string, [5]).
pure_(string_chars, [2]).       pure_(string_codes, [2]).       pure_(number_string, [2]).
pure_(split_string, [4]).       pure_(term_variables, [2]).
pure_(list_to_ord_set, [2]).    pure_(ord_subset, [2]).         pure_(ord_memberchk, [2]).
pure_(ord_subtract, [3]).       pure_(ord_union, [3]).          pure_(ord_intersection, [3]).
pure_(same_length, [2]).        pure_(nextto, [3]).             pure_(number_chars, [2]).
pure_(acyclic_term, [1]).       pure_(subsumes_term, [2]).      pure_(numbervars, [3]).

%!  atom_builder(?Name)
%
%   Pure built-ins that can make a name that the text does not contain.

atom_builder(atom_chars).       atom_builder(atom_codes).       atom_builder(atom_concat).
atom_builder(atom_string).      atom_builder(upcase_atom).      atom_builder(downcase_atom).
atom_builder(sub_atom).         atom_builder(char_code).        atom_builder(atomic_list_concat).
atom_builder(string_chars).

%!  meta(?Goal, -Arguments)
%
%   Pure built-ins that call their arguments: each argument is called with so many more arguments, or as the
%   goal within carets (^), or as a grammar body (//).

meta(call(G), [G-0]).
meta(not(G), [G-0]).
meta(once(G), [G-0]).
meta(ignore(G), [G-0]).
meta(forall(C, A), [C-0, A-0]).
meta(findall(_, G, _), [G-0]).
meta(findall(_, G, _, _), [G-0]).
meta(bagof(_, G, _), [G- ^]).
meta(setof(_, G, _), [G- ^]).
meta(aggregate_all(_, G, _), [G-0]).
meta(aggregate_all(_, _, G, _), [G-0]).
meta(maplist(G, _), [G-1]).
meta(maplist(G, _, _), [G-2]).
meta(maplist(G, _, _, _), [G-3]).
meta(maplist(G, _, _, _, _), [G-4]).
meta(include(G, _, _), [G-1]).
meta(exclude(G, _, _), [G-1]).
meta(partition(G, _, _, _), [G-1]).
meta(foldl(G, _, _, _), [G-3]).
meta(foldl(G, _, _, _, _), [G-4]).
meta(phrase(G, _), [G- //]).
meta(phrase(G, _, _), [G- //]).
meta(call(G, _), [G-1]).
meta(call(G, _, _), [G-2]).
meta(call(G, _, _, _), [G-3]).
meta(call(G, _, _, _, _), [G-4]).

meta(call(G, _, _, _, _, _), [G-5]).
meta(call(G, _, _, _, _, _, _), [G-6]).
meta(_^G, [G-0]).
meta(predsort(G, _, _), [G-3]).
meta(partition(G, _, _, _, _, _), [G-2]).
meta(convlist(G, _, _), [G-2]).
meta(foldl(G, _, _, _, _, _), [G-5]).

%!  control(?Goal, -Goals)
%
%   The control constructs, with the goals that they are made of.

control((A, B), [A, B]).
control((A ; B), [A, B]).
control((A -> B), [A, B]).
control((A *-> B), [A, B]).
control(\+ A, [A]).

%!  harmless(?Indicator)
%
%   Predicates that published programs call without defining them, because the name is a word of their
%   case: they change nothing that outlives the program's own process.

harmless((module)/1).           harmless(feature/2).
harmless(debugging/1).          harmless(debugging/2).

%!  hook(?Name)
%
%   Names that the system itself calls when a program defines them.

hook(term_expansion).           hook(goal_expansion).           hook(dcg_translate_rule).
hook(prolog_load_file).         hook(message_hook).             hook(message_property).
hook(exception).                hook(prolog_exception_hook).    hook(expand_query).
hook(expand_answer).            hook(portray).                  hook(portray_text).
hook(attr_unify_hook).          hook(attribute_goals).          hook(attr_portray_hook).
hook(file_search_path).         hook(library_directory).        hook(resource).
hook(prolog_file_type).         hook(prolog_event_hook).        hook(prolog_list_goal).
hook(prolog_clause_name).       hook(prolog_predicate_name).    hook(user_prolog).
hook(comment_hook).             hook(prolog_read_source_term).  hook(:=).
hook(message_prefix).           hook(thread_message_hook).      hook(eval).

%!  loadable_library(?Name)
%
%   Libraries that a text may ask for: they are loaded already.

loadable_library(lists).
loadable_library(apply).
loadable_library(aggregate).

%!  dangerous(+Indicator)
%
%   True when a call of this system predicate stops a program before it is loaded.

dangerous(append/1) :- !.
dangerous(Name/Arity) :-
    effect(Name),
    \+ harmless(Name/Arity).

%!  effect(+Name)
%
%   True when a system predicate of this name, of any arity, may read or change something beyond its
%   arguments: files, streams, processes, threads, flags, the program, the control of the run.

effect(Name) :-
    effect_name(Name),
    !.
effect(Name) :-
    effect_prefix(Prefix),
    sub_atom(Name, 0, _, _, Prefix),
    !.

effect_name(halt).              effect_name(see).               effect_name(seen).
effect_name(tell).              effect_name(told).              effect_name(nl).
effect_name(tab).               effect_name(op).                effect_name(cd).
effect_name(ls).                effect_name(chdir).             effect_name(pwd).
effect_name(edit).              effect_name(make).              effect_name(prolog).
effect_name(abort).             effect_name(break).             effect_name(trim_stacks).
effect_name(display).           effect_name(listing).           effect_name(apply).
effect_name(throw).             effect_name(ensure_loaded).     effect_name(erase).
effect_name(abolish).           effect_name(instance).          effect_name(sleep).
effect_name(time).              effect_name(sformat).           effect_name(eval_license).
effect_name(use_module).        effect_name(freeze).            effect_name(when).
effect_name(tnot).              effect_name(undo).              effect_name(shift).
effect_name(reset).             effect_name(initialization).    effect_name(wildcard_match).
effect_name(expand_file_name).  effect_name(qsave_program).     effect_name(main).
effect_name(sandbox).           effect_name(mqi_start).         effect_name(on_signal).
effect_name((dynamic)).         effect_name((multifile)).       effect_name((module)).
effect_name(ttyflush).
effect_name(garbage_collect).   effect_name(gethostname).       effect_name(apropos).
effect_name(help).              effect_name(notrace).           effect_name(nospy).
effect_name(findnsols).         effect_name(limit).             effect_name(fork).
effect_name(exec).              effect_name(kill).              effect_name(pipe).
effect_name(wait).              effect_name(environ).           effect_name(detach_IO).
effect_name(unix).              effect_name(sig_atomic).        effect_name(concurrent).
effect_name(consult).           effect_name(read_link).         

effect_prefix($).               effect_prefix(thread).          effect_prefix(mutex).
effect_prefix(message).         effect_prefix(process).         effect_prefix(http).
effect_prefix(tcp).             effect_prefix(udp).             effect_prefix(socket).
effect_prefix(open).            effect_prefix(close).           effect_prefix(load).
effect_prefix(use_foreign).     effect_prefix(prolog_).         effect_prefix(set_).
effect_prefix(nb_).             effect_prefix(b_).              effect_prefix(assert).
effect_prefix(retract).         effect_prefix(record).          effect_prefix(read).
effect_prefix(write).           effect_prefix(print).           effect_prefix(format).
effect_prefix(delete_).         effect_prefix(create_).         effect_prefix(make_).
effect_prefix(rename).          effect_prefix(copy_).           effect_prefix(tmp_).
effect_prefix(directory).       effect_prefix(exists_).         effect_prefix(access).
effect_prefix(absolute_).       effect_prefix(consult).         effect_prefix(unload).
effect_prefix(import).          effect_prefix(export).          effect_prefix(reexport).
effect_prefix(shell).           effect_prefix(getenv).          effect_prefix(setenv).
effect_prefix(unsetenv).        effect_prefix(at_halt).         effect_prefix(prompt).
effect_prefix(trace).           effect_prefix(spy).             effect_prefix(debug).
effect_prefix(profile).         effect_prefix(garbage).         effect_prefix(alarm).
effect_prefix(call_with).       effect_prefix(catch).           effect_prefix(setup_call).
effect_prefix(call_cleanup).    effect_prefix(snapshot).        effect_prefix(transaction).
effect_prefix(engine).          effect_prefix(qcompile).        effect_prefix(www).
effect_prefix(term_to_atom).    effect_prefix(term_string).     effect_prefix(compile).
effect_prefix(clause).          effect_prefix(redefine).        effect_prefix(foreign).
effect_prefix(stream).          effect_prefix(current_).        effect_prefix(put).
effect_prefix(get).             effect_prefix(peek).            effect_prefix(skip).
effect_prefix(char_conv).       effect_prefix(style).           effect_prefix(expand).
effect_prefix(size_file).       effect_prefix(time_file).       effect_prefix(same_file).
effect_prefix(string_to_atom).  effect_prefix(sformat).         effect_prefix(with_).
effect_prefix(tabl).            effect_prefix(abolish).         effect_prefix(attach).
effect_prefix(pack).            effect_prefix(git).             effect_prefix(crypt).
effect_prefix(source).          effect_prefix(dtd).             effect_prefix(xpath).
effect_prefix(save).            effect_prefix(qsave).           effect_prefix(zip).
effect_prefix(resource).        effect_prefix(wait_for).        effect_prefix(signal).
effect_prefix(flush).           effect_prefix(seek).            effect_prefix(append_).
effect_prefix(link_).           effect_prefix(chmod).           effect_prefix(ssl).
effect_prefix(odbc).            effect_prefix(rocks).           effect_prefix(rdf).
effect_prefix(gensym).          effect_prefix(reset).           effect_prefix(flag).
effect_prefix(predicate_).      effect_prefix(module_).         effect_prefix(term_expan).
effect_prefix(dcg_).            effect_prefix(phrase_from).     effect_prefix(win_).
effect_prefix(ignore_).         effect_prefix(add_).            effect_prefix(del_).
effect_prefix(autoload).        effect_prefix(volatile).        effect_prefix(apple).
effect_prefix(protocol).        effect_prefix(noprotocol).      effect_prefix(working_).
effect_prefix(file_).           effect_prefix(relative_).       effect_prefix(is_absolute).
effect_prefix(wrap_).           effect_prefix(csv_).            effect_prefix(unwrap_).
effect_prefix(concurrent_).     effect_prefix(archive_).        effect_prefix(snapshot).
effect_prefix(tty).             effect_prefix(random).          effect_prefix(dialect).
