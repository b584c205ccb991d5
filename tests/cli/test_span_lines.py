"""Questions of spans: what a declaration may say, lines of plain mode, and agreement from answers."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.cli.plain_review import PlainReview
from reviewer.core.errors import RequestError
from reviewer.results.labels.agreement_results import study_results
from reviewer.results.labels.label_spread import label_agreement
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.ledger import Ledger
from tests.marked_texts import DECLARATION, answer, marked_study
from tests.protocols.declared.test_declaration_faults import faults


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(marked_study(tmp_path, ("anna", "ben"))) as opened:
        yield opened


def read_lines(database: Database, lines: Sequence[str], rater: str = "anna") -> list[str]:
    said: list[str] = []
    PlainReview(ReviewSession(database, "toxic", rater), said.append, typed=False).run(lines)
    return said


def test_lines_mark_words_and_offsets(database: Database) -> None:
    lines = [
        'c1 spans mark insult "absolute fool"; 19:34:threat',
        'c2 spans mark insult "मूर्ख"',
        "c4 spans mark none",
    ]
    assert any(line.startswith("Answer: mark LABEL") for line in read_lines(database, lines))
    given = {event.value for event in Ledger(database).events("toxic") if event.kind == "label"}
    assert given == {
        answer("c1", ("absolute fool", "insult"), ("I will find you", "threat")),
        answer("c2", ("मूर्ख", "insult")),
        answer("c4"),
    }


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("c2 spans mark 0:1:insult", "cuts a letter apart"),
        ("c2 spans mark 4:900:insult", "ends behind the text, which has 56 characters"),
        ('c1 spans mark insult "you"', "is in the text 3 times; give its offsets (31:34, 44:47, 66:69)"),
        ('c1 spans mark insul "fool"', "'insul' is not a label; did you mean insult"),
        ("c1 spans insult", "an answer of spans begins with mark"),
    ],
)
def test_lines_that_mark_nothing_say_why(database: Database, line: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        read_lines(database, [line])
    assert said in str(refused.value)
    assert not Ledger(database).events("toxic")


def test_agreement_is_by_label_where_spans_overlap(database: Database) -> None:
    words = {"anna": ("absolute fool", "insult"), "ben": ("fool", "insult")}
    for rater, (marked, label) in words.items():
        more = '; profanity "fool"' if rater == "ben" else ""
        read_lines(database, [f'c1 spans mark {label} "{marked}"{more}', "c4 spans mark none"], rater)
    bundle, events = read_study(database, "toxic")
    rows = label_rows(bundle, events)
    whole = study_results(bundle, rows, ("question",))[0]
    assert whole.coefficients["unitised_alpha"].reason == "spans of one rater overlap"
    assert whole.coefficients["character_f1"].value == pytest.approx(2 * 4 / (13 + 4 + 4))
    insult, threat, profanity = label_agreement(bundle, rows)
    assert insult.of("unitised_alpha").value is not None
    assert insult.of("character_f1").value == pytest.approx(2 * 4 / (13 + 4))
    assert threat.of("unitised_alpha").reason == "no spans"
    assert profanity.share.value == pytest.approx(0.25)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('labels = ["insult", "threat", "profanity"]\n', "labels = []\n", "has at least one label"),
        ('"profanity"]', '"pro;fanity"]', "has a semicolon or a quotation mark"),
        ('shows = "comment"', 'shows = "comment"\npassing = "insult"', "does not go with spans"),
        (
            'fields = "comment"',
            'kind = "code"\nfields = "comment"',
            "in one pane of kind text with one field",
        ),
    ],
)
def test_what_a_question_of_spans_cannot_say(old: str, new: str, said: str) -> None:
    assert any(said in fault for fault in map(str, faults(DECLARATION.replace(old, new))))
