"""The list of disagreements: whole texts, and a caption and notes only on things in it."""

from dataclasses import replace
from pathlib import Path

import pytest

from reviewer.core.pane import Pair, Pane, Text
from reviewer.report.disagreement_list import disagreement_appendix, matrix_in_words
from reviewer.report.document import Block, Commands, Document, Paragraph, Section, VoteLine, Votes
from reviewer.report.report_pages import html_page, latex_page, markdown_page
from reviewer.results.labels.disagreements import MOST_MATRIX_LINES, VotedItem, disagreements
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.review_session import ReviewSession
from store.ledger import Ledger
from tests.studies import a_study, open_store


@pytest.fixture
def study(tmp_path: Path) -> tuple[StudyBundle, list[VotedItem]]:
    """Two raters who disagree on every item, and on the same ones with nothing missing."""
    return disputed_study(tmp_path, "same_task")


def disputed_study(folder: Path, *questions: str) -> tuple[StudyBundle, list[VotedItem]]:
    database = open_store(folder)
    a_study(database, cases=2, questions=questions)
    for rater, label in {"anna": "True", "ben": "False"}.items():
        session = ReviewSession(database, "pilot", rater)
        while not session.finished:
            session.answer(label)
    bundle = load_study(database, "pilot")
    return bundle, disagreements(bundle, label_rows(bundle, Ledger(database).events("pilot")))


def lacking(item: VotedItem) -> VotedItem:
    return VotedItem(item.question, item.place, {**item.votes, "cara": None}, {})


def lead_of(blocks: list[Block]) -> str:
    return next(block.text for block in blocks if isinstance(block, Paragraph))


def test_caption_explains_only_what_the_figure_has(study: tuple[StudyBundle, list[VotedItem]]) -> None:
    _, found = study
    plain = "Items on which raters disagree"
    assert matrix_in_words(found) == f"{plain}."
    assert matrix_in_words([*found, lacking(found[0])]) == f"{plain}; a dot marks a missing label."
    fitting = [found[0]] * (MOST_MATRIX_LINES - 1)
    assert matrix_in_words(fitting) == f"{plain}."
    assert matrix_in_words([*fitting, found[0]]).endswith(
        " The figure shows only the first of them, and the list below all."
    )


def test_order_of_splits_is_told_only_where_splits_differ(
    study: tuple[StudyBundle, list[VotedItem]],
) -> None:
    _, (first, second) = study
    three = VotedItem(second.question, second.place, {**second.votes, "cara": "True"}, {})
    assert matrix_in_words([first, three]) == (
        "Items on which raters disagree, the most even splits of each question first."
    )
    assert matrix_in_words([three, three]) == "Items on which raters disagree."


def test_lines_of_a_text_stay_lines_in_each_format(study: tuple[StudyBundle, list[VotedItem]]) -> None:
    block = Votes(
        "k/1", (("unbiased", "Choose:\n- Option A: Wait.\n- Option B: Go."),), (VoteLine("anna True"),)
    )
    document = Document("T", (block,))
    assert "Choose:\n- Option A: Wait.\n- Option B: Go.</p>" in html_page(document, {})
    markdown = markdown_page(document, frozenset())
    assert "  - unbiased: Choose:\\\n    \\- Option A: Wait.\\\n    \\- Option B: Go.\n" in markdown
    assert "Choose:\\newline" in latex_page(document, frozenset()).replace("\\\\", "\\newline")


def test_commands_break_only_between_words() -> None:
    command = "reviewer report pilot --by question"
    document = Document("T", (Paragraph(f"Run `{command}`.", (command,)), Commands((command,))))
    page = html_page(document, {})
    assert page.count("<span class=ends>--by</span> <span class=ends>question</span>") == 2


def test_dash_is_explained_only_where_a_label_is_missing(
    study: tuple[StudyBundle, list[VotedItem]],
) -> None:
    bundle, found = study
    assert "dash" not in lead_of(disagreement_appendix(bundle, found, [], comments=True))
    with_gap = disagreement_appendix(bundle, [*found, lacking(found[0])], [], comments=True)
    assert lead_of(with_gap).endswith(" A dash marks a missing label.")


def test_long_texts_are_listed_whole(
    study: tuple[StudyBundle, list[VotedItem]], monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle, found = study
    long = " ".join(f"word{at}" for at in range(300))
    pane = Pane("texts", "texts", Pair("original", "rebuilt", Text(long), Text("short"), compared=False))
    monkeypatch.setattr(type(bundle.protocol), "panes", lambda *_: (pane,))
    votes = [
        block for block in disagreement_appendix(bundle, found, [], comments=True) if isinstance(block, Votes)
    ]
    assert votes[0].texts == (("original", long), ("rebuilt", "short"))


def test_a_case_has_its_texts_once_and_other_parts_are_named(tmp_path: Path) -> None:
    bundle, found = disputed_study(tmp_path, "same_task", "bias_presence", "reconstruction", "axioms")
    blocks = disagreement_appendix(bundle, found, [], comments=True)
    listed = [block for block in blocks if isinstance(block, Votes)]
    assert [[name for name, _ in each.texts] for each in listed] == [["unbiased", "biased"]] * 2
    assert all(len(each.items) == len(bundle.questions) for each in listed)
    assert "On “reconstruction” and “axioms” the list has only the votes" in lead_of(blocks)


def test_the_only_question_of_a_study_has_its_texts(tmp_path: Path) -> None:
    blocks = disagreement_appendix(*disputed_study(tmp_path, "axioms"), [], comments=True)
    first = next(block for block in blocks if isinstance(block, Votes))
    assert "Release what was tested." in first.texts[0][1]
    assert "only the votes" not in lead_of(blocks)


def test_cases_of_one_list_share_their_columns_and_notes_follow_their_votes() -> None:
    line = VoteLine("same task: anna True · ben False", (("ben commented", "a deadline"),))
    case, heading = Votes("k/1", (), (line,)), Section("Comments", appendix=True)
    page = html_page(Document("T", (case, case, heading, case)), {})
    lists = page.split("<div class=cases>")[1:]
    assert [part.partition("</div>")[0].count("<section class=votes>") for part in lists] == [2, 1]
    assert "ben False</span> <b>ben commented:</b> a deadline</p>" in page


def test_titles_name_generators_only_where_there_are_several(
    study: tuple[StudyBundle, list[VotedItem]],
) -> None:
    bundle, found = study
    alone = disagreement_appendix(bundle, found, [], comments=True)
    assert not [block for block in alone if isinstance(block, Votes) and "model-1" in block.title]
    assert "generator" not in lead_of(alone)
    first, *others = bundle.sample
    several = replace(bundle, sample=(first, *(at.model_copy(update={"generator": "b"}) for at in others)))
    both = disagreement_appendix(several, found, [], comments=True)
    assert all("model-1" in block.title for block in both if isinstance(block, Votes))
    assert "its generator, and the beginning of its digest" in lead_of(both)
