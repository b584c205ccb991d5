"""Programs of a second attack: on how a text is read, on calls of the system itself, on names in disguise.

HELD are those that the gate alone must hold; HARMLESS_TRICKS run to an end and must have no effect: apparent
calls in them are comments, names of their own, or predicates that do not exist.
"""

# ruff: noqa: E501  # a program stays on one line; some have look-alikes of other alphabets

from tests.oracle.hostile_program import GATE, Hostile

HELD = [
    Hostile(
        "op colon dash",
        ":- op(1200, fx, go).\ngo shell('touch {new}').\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "op in module", ":- op(700, xfx, user:(is_a)).\na is_a b.\ndecide_option(user, option_A).\n", GATE
    ),
    Hostile(
        "op local term",
        "x :- op(200, xfy, ^), shell('touch {new}').\ndecide_option(user, X) :- x, X = option_A.\n",
        GATE,
    ),
    Hostile(
        "term expansion in user",
        "user:term_expansion(a, (:- shell('touch {new}'))).\na.\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "term expansion in system",
        "system:term_expansion(a, (:- shell('touch {new}'))).\na.\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "term expansion 4",
        "term_expansion(a, _, (:- shell('touch {new}')), _).\na.\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "goal expansion 4",
        "goal_expansion(true, _, shell('touch {new}'), _).\nx :- true.\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "dcg string closure",
        "y --> call([X, Y]>>shell('touch {new}')).\ndecide_option(user, a) :- phrase(y, []).\n",
        GATE,
    ),
    Hostile("quasi escaped", "x(X) :- X = {|string(Y)||{Y}|}.\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "flag directive",
        ':- set_prolog_flag(double_quotes, codes).\nx("abc").\ndecide_option(user, option_A).\n',
        GATE,
    ),
    Hostile("flag create", ":- create_prolog_flag(a, b, []).\ndecide_option(user, option_A).\n", GATE),
    Hostile("encoding", ":- encoding(utf8).\ndecide_option(user, option_A).\n", GATE),
    Hostile("encoding utf16", ":- encoding(unicode_le).\ndecide_option(user, option_A).\n", GATE),
    Hostile("style", ":- style_check(-singleton).\ndecide_option(user, option_A).\n", GATE),
    Hostile("license", ":- license(gpl).\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "init now", ":- initialization(shell('touch {new}'), now).\ndecide_option(user, option_A).\n", GATE
    ),
    Hostile(
        "init program",
        ":- initialization(shell('touch {new}'), program).\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "init in list", "[(:- initialization(shell('touch {new}')))].\ndecide_option(user, option_A).\n", GATE
    ),
    Hostile(
        "attr hook",
        "m:attr_unify_hook(_, _) :- shell('touch {new}').\ndecide_option(user, X) :- put_attr(X, m, 1), X = a.\n",
        GATE,
    ),
    Hostile(
        "attr hook own",
        "attr_unify_hook(_, _) :- shell('touch {new}').\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "freeze", "decide_option(user, X) :- freeze(Y, shell('touch {new}')), Y = 1, X = option_A.\n", GATE
    ),
    Hostile(
        "when",
        "decide_option(user, X) :- when(ground(Y), shell('touch {new}')), Y = 1, X = option_A.\n",
        GATE,
    ),
    Hostile(
        "dif hook",
        "dif:attr_unify_hook(_, _) :- shell('touch {new}').\ndecide_option(user, X) :- dif(Y, b), Y = a, X = option_A.\n",
        GATE,
    ),
    Hostile("copy attr goal", "decide_option(user, X) :- copy_term(Y, Z, G), call(G), X = option_A.\n", GATE),
    Hostile("b_setval", "decide_option(user, X) :- b_setval(oracle_shown, x), X = option_A.\n", GATE),
    Hostile(
        "nb_current", "decide_option(user, X) :- nb_current(oracle_expected, Y), functor(Y, _, X).\n", GATE
    ),
    Hostile("nb_setarg", "decide_option(user, X) :- nb_setarg(1, f(a), b), X = option_A.\n", GATE),
    Hostile("setarg own", "decide_option(user, X) :- setarg(1, f(a), b), X = option_A.\n", "setarg/3"),
    Hostile("table directive", ":- table p/1.\np(X) :- p(X).\ndecide_option(user, option_A).\n", GATE),
    Hostile("table in body", "decide_option(user, X) :- table(p/1), X = option_A.\n", GATE),
    Hostile("tnot", "p :- tnot(p).\ndecide_option(user, X) :- p, X = option_A.\n", GATE),
    Hostile("abolish tables", "decide_option(user, X) :- abolish_all_tables, X = option_A.\n", GATE),
    Hostile("assert system", "decide_option(user, X) :- assertz(system:foo), X = option_A.\n", GATE),
    Hostile("assert at", "decide_option(user, X) :- @(assertz(foo), user), X = option_A.\n", GATE),
    Hostile(
        "asserta own module", "decide_option(user, X) :- asserta(oracle_names:foo), X = option_A.\n", GATE
    ),
    Hostile(
        "erase",
        "decide_option(user, X) :- clause(decide_option(_, _), _, R), erase(R), X = option_A.\n",
        GATE,
    ),
    Hostile("throw cyclic", "decide_option(user, X) :- Y = f(Y), throw(Y), X = option_A.\n", GATE),
    Hostile("throw huge", "decide_option(user, X) :- numlist(1, 100000, L), throw(L), X = option_A.\n", GATE),
    Hostile(
        "throw error",
        "decide_option(user, X) :- throw(error(existence_error(procedure, x/1), _)), X = option_A.\n",
        GATE,
    ),
    Hostile("throw unwind", "decide_option(user, X) :- throw(unwind(halt(0))), X = option_A.\n", GATE),
    Hostile("throw abort", "decide_option(user, X) :- throw('$aborted'), X = option_A.\n", GATE),
    Hostile(
        "throw time limit", "decide_option(user, X) :- throw(inference_limit_exceeded), X = option_A.\n", GATE
    ),
    Hostile(
        "alarm",
        "decide_option(user, X) :- alarm(1, shell('touch {new}'), _, [remove(true)]), X = option_A.\n",
        GATE,
    ),
    Hostile("on signal", "decide_option(user, X) :- on_signal(alrm, _, shell), X = option_A.\n", GATE),
    Hostile(
        "signal thread",
        "decide_option(user, X) :- thread_signal(main, shell('touch {new}')), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "call limits",
        "decide_option(user, X) :- call_with_time_limit(1, shell('touch {new}')), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "call depth",
        "decide_option(user, X) :- call_with_depth_limit(shell('touch {new}'), 10, _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "message hook",
        "message_hook(_, _, _) :- shell('touch {new}').\nx(Y).\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "message hook prolog",
        "prolog:message(_) --> { shell('touch {new}') }.\nx(Y).\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "print message",
        "decide_option(user, X) :- print_message(error, format('~w', [a])), X = option_A.\n",
        GATE,
    ),
    Hostile("assertion", "decide_option(user, X) :- assertion(fail), X = option_A.\n", GATE),
    Hostile("load context", "decide_option(user, X) :- prolog_load_context(directory, X).\n", GATE),
    Hostile("source location", "decide_option(user, X) :- source_location(X, _).\n", GATE),
    Hostile("portray", "portray(X) :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "user portray", "user:portray(X) :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE
    ),
    Hostile(
        "portray clause", "decide_option(user, X) :- portray_clause(a), X = option_A.\n", "portray_clause/1"
    ),
    Hostile("listing", "decide_option(user, X) :- listing(decide_option/2), X = option_A.\n", GATE),
    Hostile("escaped name", "decide_option(user, X) :- 'sh\\x65\\ll'('touch {new}'), X = a.\n", GATE),
    Hostile("escaped octal", "decide_option(user, X) :- 's\\150\\ell'('touch {new}'), X = a.\n", GATE),
    Hostile("continued name", "decide_option(user, X) :- 'sh\\\nell'('touch {new}'), X = a.\n", GATE),
    Hostile(
        "unicode escape quoted", "decide_option(user, X) :- '\\u0073hell'('touch {new}'), X = a.\n", GATE
    ),
    Hostile(
        "nul raw",
        "decide_option(user, X) :- \x00shell('touch {new}'), X = a.\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile("bom directive", "\ufeff:- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("cr lines", "a.\r:- shell('touch {new}').\rdecide_option(user, option_A).\n", GATE),
    Hostile("vt directive", "a.\x0b:- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "long line",
        "x(" + "a, " * 30000 + "b).\n:- shell('touch {new}').\ndecide_option(user, option_A).\n",
        GATE,
    ),
    Hostile(
        "deep body",
        "p :- "
        + "(" * 3_000
        + "shell('touch {new}'"
        + ")" * 3_000
        + ").\ndecide_option(user, X) :- p, X = option_A.\n",
        GATE,
    ),
    Hostile(
        "deep neg",
        "p :- " + "\\+ " * 3_000 + "shell('touch {new}').\ndecide_option(user, X) :- p, X = option_A.\n",
        GATE,
    ),
    Hostile("char code quote", "x(0''').\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("char code quote 2", "x(0').\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("back quote", "x(`a`).\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("bar", "decide_option(user, X) :- '|'(shell('touch {new}'), true), X = option_A.\n", GATE),
    Hostile("bar infix", "decide_option(user, X) :- (shell('touch {new}') | true), X = option_A.\n", GATE),
    Hostile(
        "bar var",
        "g(shell('touch {new}')).\ndecide_option(user, X) :- g(G), '|'(G, true), X = option_A.\n",
        GATE,
    ),
    Hostile("dollar", "decide_option(user, X) :- $(shell('touch {new}')), X = option_A.\n", GATE),
    Hostile("dollar comma", "decide_option(user, X) :- ($, shell('touch {new}')), X = option_A.\n", GATE),
    Hostile("list goal", "decide_option(user, X) :- [axioms], X = option_A.\n", "'[|]'/2"),
    Hostile("list goal user", "decide_option(user, X) :- [user], X = option_A.\n", "'[|]'/2"),
    Hostile(
        "arrow", "decide_option(user, X) :- (true *-> shell('touch {new}') ; true), X = option_A.\n", GATE
    ),
    Hostile(
        "module colon var",
        "m(system).\ndecide_option(user, X) :- m(M), M:shell('touch {new}'), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "module chain", "decide_option(user, X) :- a:b:system:shell('touch {new}'), X = option_A.\n", GATE
    ),
    Hostile(
        "lambda",
        "decide_option(user, X) :- foldl([X1,A1,B1]>>(shell(X1), B1=A1), ['touch {new}'], 0, _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "yall slash",
        "decide_option(user, X) :- maplist(/(f, [X1]>>shell(X1)), ['touch {new}']), X = option_A.\n",
        GATE,
    ),
    Hostile("caret", "decide_option(user, X) :- Y^shell('touch {new}'), X = option_A.\n", GATE),
    Hostile(
        "predsort",
        "decide_option(user, X) :- predsort(system:shell, ['touch {new}', b], _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "aggregate template",
        "decide_option(user, X) :- aggregate_all(max(Y-W), (W = 1, shell('touch {new}'), Y = 1), _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "comma by call",
        "decide_option(user, X) :- call(',', shell('touch {new}'), true), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "call semicolon",
        "decide_option(user, X) :- maplist(;(fail), [shell('touch {new}')]), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "maplist call",
        "decide_option(user, X) :- maplist(call, [shell('touch {new}')]), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "maplist not", "decide_option(user, X) :- maplist(\\+, [shell('touch {new}')]), X = option_A.\n", GATE
    ),
    Hostile(
        "maplist once",
        "decide_option(user, X) :- maplist(once, [system:shell('touch {new}')]), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "findall as closure",
        "decide_option(user, X) :- foldl(findall, [x], shell('touch {new}'), _), X = option_A.\n",
        GATE,
    ),
    Hostile("univ", "decide_option(user, X) :- T =.. [shell, 'touch {new}'], call(T), X = option_A.\n", GATE),
    Hostile(
        "functor",
        "decide_option(user, X) :- functor(T, shell, 1), arg(1, T, 'touch {new}'), call(T), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "term_to_atom",
        "decide_option(user, X) :- term_to_atom(T, 'shell(x)'), call(T), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "read term",
        "decide_option(user, X) :- read_term_from_atom('shell(x)', T, []), T, X = option_A.\n",
        GATE,
    ),
    Hostile(
        "sformat",
        "decide_option(user, X) :- format(atom(A), 'sh~w', [ell]), call(A, x), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "with output",
        "decide_option(user, X) :- with_output_to(string(_), shell('touch {new}')), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "string code",
        "decide_option(user, X) :- string_code(1, abc, _), text_to_string(a, _), X = option_A.\n",
        "string_code/3",
    ),
    Hostile("tab", "decide_option(user, X) :- tab(user_error, 100), X = option_A.\n", GATE),
    Hostile("char conversion", ":- char_conversion(a, b).\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "discontiguous system",
        ":- discontiguous(shell/1).\ndecide_option(user, X) :- shell('touch {new}'), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "own shell lost",
        "shell(_) :- 1.\ndecide_option(user, X) :- shell('touch {new}'), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "module shell missing",
        "m:x(_).\ndecide_option(user, X) :- m:shell('touch {new}'), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "own call", "call(_).\ndecide_option(user, X) :- call(shell('touch {new}')), X = option_A.\n", GATE
    ),
    Hostile(
        "own findall",
        "findall(_, _, _) :- fail.\ndecide_option(user, X) :- findall(x, shell('touch {new}'), _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "list with clause",
        "[p(a), (q :- shell('touch {new}'))].\ndecide_option(user, X) :- q, X = option_A.\n",
        GATE,
    ),
    Hostile("dict functional", "x(X) :- X = _{a: 1}.put(b, 2).\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "dict function def", "M.shell() := X :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE
    ),
    Hostile("ssu", "decide_option(_, X), shell('touch {new}') => X = option_A.\n", GATE),
    Hostile(
        "engines",
        "decide_option(user, X) :- engine_create(x, shell('touch {new}'), E), engine_next(E, _), X = option_A.\n",
        GATE,
    ),
    Hostile(
        "shift reset", "decide_option(user, X) :- reset(shell('touch {new}'), _, _), X = option_A.\n", GATE
    ),
    Hostile("prompt", "decide_option(user, X) :- prompt(_, x), X = option_A.\n", GATE),
    Hostile("user arith", ":- arithmetic_function(f/1).\ndecide_option(user, option_A).\n", GATE),
    Hostile("format pred", ":- format_predicate(x, shell(_)).\ndecide_option(user, option_A).\n", GATE),
    Hostile("undo", "decide_option(user, X) :- undo(shell('touch {new}')), X = option_A.\n", GATE),
    Hostile("var clause", "X.\ndecide_option(user, option_A).\n", GATE),
    Hostile("var head", "X :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("number head", "1 :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile("string head", "\"a\" :- shell('touch {new}').\ndecide_option(user, option_A).\n", GATE),
    Hostile(
        "head with cut", "! :- shell('touch {new}').\ndecide_option(user, X) :- !, X = option_A.\n", GATE
    ),
    Hostile(
        "cyclic choice pair",
        "decide_option(user, X) :- Y = [a|Y], X = f(Y, Y).\n",
        "the choice is too large to show",
    ),
]
HARMLESS_TRICKS = [
    Hostile(
        "dcg body hook",
        "dcg_body(x, _, _, _, shell('touch {new}'), _).\ny --> x.\ndecide_option(user, option_A).\n",
        "",
    ),
    Hostile(
        "body of dcg call//1",
        "y --> call(shell, 'touch {new}').\ndecide_option(user, a) :- phrase(y, []).\n",
        "",
    ),
    Hostile("quasi spaced", "x(X) :- X = { |string(Y)|| a |}.\ndecide_option(user, option_A).\n", ""),
    Hostile("message to codes", "decide_option(user, X) :- message_to_codes(a, b, c), X = option_A.\n", ""),
    Hostile(
        "look-alike colon",
        "decide_option(user, X) ：- shell('touch {new}').\ndecide_option(user, option_A).\n",
        "",
    ),
    Hostile("look-alike shell", "decide_option(user, X) :- ѕhell('touch {new}'), X = a.\n", ""),
    Hostile("fullwidth", "decide_option(user, X) :- ｓhell('touch {new}'), X = a.\n", ""),
    Hostile("unicode escape", "decide_option(user, X) :- \\u0073hell('touch {new}'), X = a.\n", ""),
    Hostile("nul in name", "decide_option(user, X) :- 'shell\\x0\\'('touch {new}'), X = a.\n", ""),
    Hostile("bom hash", "\ufeff#!\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""),
    Hostile("cr hash", "#!\r:- shell('touch {new}').\rdecide_option(user, option_A).\n", ""),
    Hostile("comment cr", "% a\r:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""),
    Hostile("nel", "% a\x85:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""),
    Hostile("ls", "% a\u2028:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""),
    Hostile("ctrl z", "a.\n\x1a\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""),
    Hostile(
        "end of file", "a.\nend_of_file.\n:- shell('touch {new}').\ndecide_option(user, option_A).\n", ""
    ),
    Hostile(
        "end in axioms", "a :- b.\ndecide_option(user, option_A).\nend_of_file.\n:- shell('touch {new}').", ""
    ),
    Hostile("long name", "'" + "a" * 100_000 + "'(b).\ndecide_option(user, option_A).\n", ""),
    Hostile(
        "block comment nest", "/* /* */ :- shell('touch {new}'). /* */\ndecide_option(user, option_A).\n", ""
    ),
    Hostile(
        "string continue", "x(\"a\\\n:- shell('touch {new}').\n\").\ndecide_option(user, option_A).\n", ""
    ),
    Hostile("curly", "decide_option(user, X) :- {shell('touch {new}')}, X = option_A.\n", ""),
    Hostile("soft at", "decide_option(user, X) :- ?=>(a, shell('touch {new}')), X = option_A.\n", ""),
    Hostile("caret call", "decide_option(user, X) :- call(Y^shell('touch {new}'), 1), X = option_A.\n", ""),
    Hostile(
        "call comma partial",
        "decide_option(user, X) :- call((true, shell), 'touch {new}'), X = option_A.\n",
        "",
    ),
    Hostile(
        "string functor",
        'decide_option(user, X) :- string_concat("sh", "ell", N), T =.. [N, \'touch {new}\'], call(T), X = option_A.\n',
        "",
    ),
    Hostile(
        "text concat",
        "decide_option(user, X) :- text_concat(sh, ell, N), call(N, 'touch {new}'), X = option_A.\n",
        "",
    ),
    Hostile(
        "dynamic system",
        ":- dynamic(shell/1).\ndecide_option(user, X) :- shell('touch {new}'), X = option_A.\n",
        "",
    ),
    Hostile("own shell", "shell(_).\ndecide_option(user, X) :- shell('touch {new}'), X = option_A.\n", ""),
    Hostile(
        "own shell in module",
        "m:shell(_).\ndecide_option(user, X) :- m:shell('touch {new}'), X = option_A.\n",
        "",
    ),
    Hostile("list of facts", "[p(a), p(b)].\ndecide_option(user, option_A).\n", ""),
    Hostile("ssu dcg", "y, shell('touch {new}') ==> [].\ndecide_option(user, option_A).\n", ""),
    Hostile("html write", "decide_option(user, X) :- html_write:print_html([a]), X = option_A.\n", ""),
    Hostile(
        "prolog alert",
        "prolog_alert_signal(_, _).\ndecide_option(user, X) :- prolog_alert_signal(_, usr1), X = option_A.\n",
        "",
    ),
    Hostile(
        "wrap",
        "decide_option(user, X) :- '$wrap_predicate'(decide_option(_, _), w, _, true), X = option_A.\n",
        "",
    ),
    Hostile("body cycles", "p :- q, X = f(X), X.\nq.\ndecide_option(user, X) :- p, X = option_A.\n", ""),
    Hostile("surrogate choice", "decide_option(user, '\\xD800\\').\n", ""),
    Hostile("nul choice", "decide_option(user, 'a\\x0\\b').\n", ""),
    Hostile("choice of wide", "decide_option(user, '\\x1F600\\\\x10FFFF\\').\n", ""),
    Hostile(
        "huge choice",
        "decide_option(user, f(X)) :- length(L, 9000), maplist(=(0'a), L), atom_codes(X, L).\n",
        "",
    ),
    Hostile("many solutions", "decide_option(user, X) :- between(1, 100000, X).\n", ""),
    Hostile(
        "long solutions",
        "decide_option(user, f(X)) :- between(1, 30, N), length(L, 15000), maplist(=(0'a), L), atom_codes(A, L), atom_concat(A, N, X).\n",
        "",
    ),
    Hostile("control chars", "decide_option(user, '\\e[31m\\x7\\').\n", ""),
    Hostile("json choice", 'decide_option(user, \'", "status": "ok", "choice": "option_B\').\n', ""),
    Hostile(
        "deep proof",
        "p(0).\np(N) :- N > 0, M is N - 1, p(M).\ndecide_option(user, X) :- p(3000), X = option_A.\n",
        "",
    ),
    Hostile(
        "wide proof",
        "decide_option(user, X) :- forall(between(1, 5000, Y), (member(Y, [Y]), \\+ \\+ Y = Y)), X = option_A.\n",
        "",
    ),
    Hostile(
        "deep recursion in why",
        "p(N) :- M is N + 1, p(M).\ndecide_option(user, option_A).\ndecide_option(user, option_B) :- p(0).\n",
        "",
    ),
]
