"""Faults of a declaration: each one sentence with table, key, fault, and remedy."""

import pytest

from reviewer.protocols.declared.declaration_reading import DeclarationError, read_declaration
from tests.declarations import DECLARATION, with_passages

Exchanged = tuple[str, str]


def faults(text: str) -> list[str]:
    with pytest.raises(DeclarationError) as caught:
        read_declaration(text, "replies.toml")
    return [str(fault) for fault in caught.value.faults]


def test_a_whole_declaration_has_no_faults() -> None:
    declaration = read_declaration(DECLARATION, "replies.toml")
    assert declaration.protocol.name == "replies"
    assert declaration.fields["first"].column == "answers.a"
    assert declaration.question["better"].mirrored == (("first", "second"),)


ONE_FAULT: dict[str, tuple[list[Exchanged], str]] = {
    "a field that no pane shows": (
        [('second = "answers.b"', 'second = "answers.b"\nthird = "answers.c"')],
        "replies.toml, [fields] third: no pane shows this field, and no prompt, headline or check uses it; "
        "add it to the fields of a pane, or leave it out.",
    ),
    "a pane with a field that is not there": (
        [('fields = ["score", "tokens"]', 'fields = ["scores", "score", "tokens"]')],
        "replies.toml, [pane.facts] fields: there is no field 'scores'; did you mean score.",
    ),
    "two questions of one key": (
        [("[question.fit]", "[question.better]")],
        "replies.toml: is not valid TOML ([question.better] is declared twice (at line 54, column 17)); "
        "rename one of the two, or join them.",
    ),
    "two questions whose keys differ by case": (
        [("[question.fit]", "[question.Better]")],
        "replies.toml, [question]: 'Better' differs from 'better' only in case or blanks; "
        "rename one of them.",
    ),
    "labels that differ by case": (
        [('["first", "second", "tie"]', '["first", "second", "tie", "Tie"]')],
        "replies.toml, [question.better] labels: 'Tie' differs from 'tie' only in case or blanks; "
        "rename one of them.",
    ),
    "labels that differ by blanks": (
        [('["first", "second", "tie"]', '["first", "second", "a tie", "a  tie"]')],
        "replies.toml, [question.better] labels: 'a␣␣tie' differs from 'a␣tie' only in case or blanks; "
        "rename one of them.",
    ),
    "passing that is no label": (
        [('passing = ["1", "2"]', 'passing = "3"')],
        "replies.toml, [question.fit] passing: there is no label '3'; use one of 0, 1, 2.",
    ),
    "a placeholder that nothing fills": (
        [("topic {group}", "topic {grup}")],
        "replies.toml, [question.fit] prompt: nothing fills the placeholder {grup}; did you mean group.",
    ),
    "a placeholder of the headline": (
        [('headline = "{prompt}"', 'headline = "{promt}"')],
        "replies.toml, [protocol] headline: nothing fills the placeholder {promt}; did you mean prompt.",
    ),
    "fields in a circle": (
        [('first = "answers.a"', 'first = "second"'), ('second = "answers.b"', 'second = "first"')],
        "replies.toml, [fields] first: the fields first and second are mapped onto each other in a circle; "
        "name each field after the column that holds it.",
    ),
    "a rule on a missing field": (
        [('"differ"\nfields = ["first", "second"]', '"differ"\nfields = ["first", "secund"]')],
        "replies.toml, [check.differ] fields: there is no field 'secund'; did you mean second.",
    ),
    "a group without a definition that a prompt shows": (
        [("The request asks for a name.", "")],
        "replies.toml, [question.fit] prompt: shows the definition of the group, and group 'naming' has "
        "none; write its definition in [groups].",
    ),
    "TOML that breaks off": (
        [(DECLARATION[DECLARATION.index('tokens"]\n\n[question.better]') :], "tok")],
        "replies.toml: is not valid TOML (Unterminated string (the file breaks off at line 43)); "
        "complete or correct that line.",
    ),
    "an unknown table": (
        [("[pane.facts]", "[panes.facts]"), ('"facts", "published"', '"published"')],
        "replies.toml, tables: 'panes' is not a table of a declaration; did you mean pane.",
    ),
    "an unknown key": (
        [("shows = \"request\"", "shows = \"request\"\nshow = \"facts\"")],
        "replies.toml, [question.fit] show: 'show' is not a key of this table; did you mean shows.",
    ),
    "an unknown kind": (
        [('kind = "pair"', 'kind = "pairs"'), ("compared = false", "")],
        "replies.toml, [pane.answers] kind: 'pairs' is not possible here; did you mean pair.",
    ),
    "an unknown rule": (
        [('rule = "differ"', 'rule = "differs"')],
        "replies.toml, [check.differ] rule: 'differs' is not possible here; did you mean differ.",
    ),
    "a missing key": (
        [('title = "Replies"\n', "")],
        "replies.toml, [protocol] title: is missing; add title to [protocol].",
    ),
    "a version that is not a number": (
        [("version = 1", 'version = "1"')],
        "replies.toml, [protocol] version: is not a whole number; write a whole number from 1.",
    ),
    "a name with other signs": (
        [('name = "replies"', 'name = "Replies@2"')],
        "replies.toml, [protocol] name: 'Replies@2' is not valid here; use up to 40 lower-case letters, "
        "digits, - and _, and begin with a letter or digit.",
    ),
    "a name of a pane with other signs": (
        [("[pane.facts]", '[pane."facts & more"]'), ('"facts", "published"', '"published"')],
        "replies.toml, [pane.facts & more]: 'facts & more' cannot be a name here; use up to 60 letters, "
        "digits and _, and begin with a letter.",
    ),
    "a question with an unknown pane": (
        [('"facts", "published"', '"fact", "published"')],
        "replies.toml, [question.fit] beside: there is no pane 'fact'; did you mean facts.",
    ),
    "an opinion on a question that is not there": (
        [('opinion_on = "better"', 'opinion_on = "best"')],
        "replies.toml, [published.judge] opinion_on: there is no question 'best'; did you mean better.",
    ),
    "an opinion that stands for no label": (
        [('A = "first"', 'A = "frist"')],
        "replies.toml, [published.judge] labels: there is no label 'frist'; did you mean first.",
    ),
    "must_agree on a value that is not an opinion": (
        [('column = "tokens"', 'column = "tokens"\nmust_agree = true')],
        "replies.toml, [published.tokens] must_agree: is for an opinion on a question; add opinion_on with "
        "the question, or leave must_agree out.",
    ),
    "an opinion that must agree on a question that nothing passes": (
        [('opinion_on = "better"', 'opinion_on = "better"\nmust_agree = true')],
        "replies.toml, [published.judge] must_agree: is true, and question 'better' has no passing label; "
        "give the question passing labels, or leave must_agree out.",
    ),
    "an opinion that a field shows": (
        [('score = { column = "score"', 'score = { column = "judge"')],
        "replies.toml, [published.judge] column: is also the column of field 'score', which would show the "
        "opinion; leave that field out.",
    ),
    "an opinion in the key": (
        [('key = "{id}"', 'key = "{id}/{judge}"')],
        "replies.toml, [source] key: names column 'judge', which is an opinion that raters would see "
        "before they answer; name another column.",
    ),
    "an opinion as group": (
        [('group = "topic"', 'group = "judge"')],
        "replies.toml, [source] group: names column 'judge', which is an opinion that raters would see "
        "before they answer; name another column.",
    ),
    "an opinion as generator": (
        [('generator = "model"', 'generator = "judge"')],
        "replies.toml, [source] generator: names column 'judge', which is an opinion that raters would see "
        "before they answer; name another column.",
    ),
    "a pair of three": (
        [('fields = ["first", "second"]', 'fields = ["first", "second", "prompt"]')],
        "replies.toml, [pane.answers] fields: has 3 fields; a pair has two; name the two fields of the pair.",
    ),
    "a key without a column": (
        [('key = "{id}"', 'key = "id"')],
        "replies.toml, [source] key: holds no column, so that all rows have the same key; "
        'name a column in braces, such as "{id}".',
    ),
    "groups that nothing assigns": (
        [('group = "topic"\n', "")],
        "replies.toml, [source] group: is missing, so nothing says which of the 2 groups a row belongs to; "
        "name the column that holds the group.",
    ),
    "a NUL character": (
        [("Which answer serves", "Which\\u0000 answer serves")],
        "replies.toml: holds a NUL character; correct it.",
    ),
    "a title of two lines": (
        [('title = "Replies"', 'title = "Replies\\nand more"')],
        "replies.toml, [protocol] title: 'Replies and more' is not one line of text; write it in one line.",
    ),
    "sides without a pair": (
        [('shows = "answers"\nbeside = "request"', 'shows = "request"\nbeside = "answers"')],
        "replies.toml, [question.better] mirrored: is for the sides of a pair, and the question shows no "
        "pane of kind pair; leave it out, or show a pair.",
    ),
    "labels of a free text": (
        [
            ('prompt = "Which answer', 'kind = "text"\nprompt = "Which answer'),
            ('mirrored = ["first", "second"]\n', ""),
            ('opinion_on = "better"\nlabels = { A = "first", B = "second" }', ""),
        ],
        "replies.toml, [question.better] labels: does not go with free text, which has no labels; "
        'leave it out, or use kind = "label".',
    ),
    "one label": (
        [('["0", "1", "2"]', '["0"]'), ('passing = ["1", "2"]', "")],
        "replies.toml, [question.fit] labels: a question has at least two labels; name them all.",
    ),
    "a criterion for a label that is not there": (
        [('labels = ["0", "1", "2"]', 'labels = ["0", "1", "2"]\ncriteria = { 3 = "it fits." }')],
        "replies.toml, [question.fit] criteria: there is no label '3'; use one of 0, 1, 2.",
    ),
    "an example of a label that is not there": (
        [
            (
                'labels = ["0", "1", "2"]',
                'labels = ["0", "1", "2"]\nexamples = [{ case = "a", label = "3", why = "b" }]',
            )
        ],
        "replies.toml, [question.fit] examples: there is no label '3'; use one of 0, 1, 2.",
    ),
    "a language of a pane without code": (
        [('fields = "prompt"', 'fields = "prompt"\nlanguage = "python"')],
        "replies.toml, [pane.request] language: is for panes of kind code or pair or variants, and this one "
        "is of kind text; leave it out, or change the kind.",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("exchanged", "sentence"), ONE_FAULT.values(), ids=ONE_FAULT)
def test_each_fault_is_one_sentence(exchanged: list[Exchanged], sentence: str) -> None:
    assert faults(with_passages(*exchanged)) == [sentence]


def test_all_faults_are_named_at_once() -> None:
    text = with_passages(
        ('kind = "pair"', 'kind = "pairs"'),  # a fault of the models
        ("compared = false", ""),
        ('passing = ["1", "2"]', 'passing = "3"'),  # and one between tables
    )
    found = faults(text)
    assert [fault.split(":")[0] for fault in found] == [
        "replies.toml, [pane.answers] kind",
        "replies.toml, [question.fit] passing",
    ]
    with pytest.raises(DeclarationError, match=r"'pairs' is not possible here \(and 1 more fault\);"):
        read_declaration(text, "replies.toml")


def test_a_file_that_is_too_large_empty_or_nested_is_refused() -> None:
    assert "has 300,000 bytes; a declaration has at most 262,144" in faults("#" * 300_000)[0]
    assert "holds no declaration" in faults("# nothing\n")[0]
    assert "is nested too deeply" in faults(f"a = {'[' * 9_000}{']' * 9_000}")[0]
    assert "the file breaks off at line 4" in faults("\n\na = [\n1, ")[0]


@pytest.mark.parametrize("noun", ["topic", "sub-topic", "主题", "विषय", "موضوع", "bereich_ä"])
def test_group_noun_may_be_a_word_of_any_script(noun: str) -> None:
    text = with_passages(('group_noun = "topic"', f'group_noun = "{noun}"'))
    assert read_declaration(text, "replies.toml").protocol.group_noun == noun


@pytest.mark.parametrize("noun", ["two words", "Topic", "-x", "a1", "x" * 31, ""])
def test_group_noun_is_one_word_in_small_letters(noun: str) -> None:
    text = with_passages(('group_noun = "topic"', f'group_noun = "{noun}"'))
    assert faults(text) == [
        f"replies.toml, [protocol] group_noun: {noun!r} is not valid here; use one word in lower case."
    ]
