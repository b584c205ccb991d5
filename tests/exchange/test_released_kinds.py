"""Releases of studies with spans and rankings: the coefficients of their kind, computed again from labels."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from reviewer.exchange.releases.kind_agreement import own_agreement
from reviewer.exchange.releases.release_checks import ReleaseCheck, failure_words
from reviewer.exchange.releases.release_content import QuestionFacts, ReleaseContent, ReleaseOptions
from reviewer.exchange.releases.release_files import sealed_files
from reviewer.exchange.releases.release_folder import FolderOfRelease, ReleaseFile
from reviewer.exchange.releases.release_making import PlannedRelease, plan_release
from reviewer.exchange.releases.verification import verified
from reviewer.protocols.registry import PROTOCOLS
from reviewer.report.checklist_answers import checklist_of_release
from reviewer.study.design.closing import close_study
from reviewer.study.design.design_facts import describe_study
from reviewer.study.session.review_session import ReviewSession
from store.database import Database
from store.records import Citation
from tests.marked_texts import Marks, answer, marked_study
from tests.rankings import SYSTEMS, a_ranked_study
from tests.studies import open_store
from tests.study.test_ranking_sessions import order_of

INSULT: Marks = (("absolute fool", "insult"), ("I will find you", "threat"))
SPANS: Mapping[str, tuple[Marks, Marks]] = {
    "c1": (INSULT, (("fool", "insult"), ("I will find you", "threat"))),
    "c2": ((("मूर्ख", "insult"),), ()),
    "c3": ((("damn", "profanity"),), (("clown", "insult"),)),
    "c4": ((), ()),
}
RANKINGS = (
    (SYSTEMS, ("Boreal", "Atlas", "Cumulus", "Delta")),
    (SYSTEMS, SYSTEMS),
    (SYSTEMS, ("Delta", "Cumulus", "Boreal", "Atlas")),
    (SYSTEMS, ("Atlas", "Cumulus", "Boreal", "Delta")),
)


def of_spans(folder: Path) -> Database:
    database = marked_study(folder, ("anna", "ben"))
    for at, rater in enumerate(("anna", "ben")):
        session = ReviewSession(database, "toxic", rater)
        keys = {place.case: place.key for place in session.bundle.sample}
        while not session.finished:
            key = keys[session.case.digest]
            session.answer(answer(key, *SPANS[key][at]))
    return database


def of_rankings(folder: Path) -> Database:
    database = open_store(folder)
    a_ranked_study(database, folder)
    for at, rater in enumerate(("anna", "ben")):
        session = ReviewSession(database, "pilot", rater)
        for rankings in RANKINGS:
            seen = order_of(session)
            letters = [["ABCD"[seen.index(name)]] for name in rankings[at]]
            session.answer(json.dumps(letters, separators=(",", ":")))
    return database


def planned(database: Database, study: str, dataset: str) -> PlannedRelease:
    close_study(database, study, "lena")
    describe_study(database, study, "lena", {"consent": "All agreed in writing."})
    citation = Citation(dataset=dataset, licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
    return plan_release(database, citation, "1.0", ReleaseOptions())


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    with closing(of_spans(tmp_path_factory.mktemp("spans"))) as database:
        return planned(database, "toxic", "toxic")


@pytest.fixture(scope="module")
def rankings(tmp_path_factory: pytest.TempPathFactory) -> PlannedRelease:
    with closing(of_rankings(tmp_path_factory.mktemp("rankings"))) as database:
        return planned(database, "pilot", "answers")


def checks_of(files: Mapping[str, bytes]) -> tuple[ReleaseCheck, ...]:
    return verified(FolderOfRelease(files, ()), PROTOCOLS).checks


def failing(files: Mapping[str, bytes]) -> set[str]:
    return {check.about for check in checks_of(files) if check.state == "fails"}


def question_of(release: PlannedRelease) -> QuestionFacts:
    ((question,),) = [study.questions for study in release.content.studies]
    return question


def with_question(release: PlannedRelease, pages: int | None = None, **changes: Any) -> ReleaseContent:
    (study,) = release.content.studies
    studies = (study.model_copy(update={"questions": (question_of(release).model_copy(update=changes),)}),)
    stated = {"pages": release.content.pages if pages is None else pages}
    return release.content.model_copy(update={"studies": studies, **stated})


def forged(release: PlannedRelease, content: ReleaseContent, **data: bytes) -> dict[str, bytes]:
    held = {path: held for path, held in release.files.items() if path.startswith("data/")}
    held |= {path: held for path, held in release.files.items() if path == ReleaseFile.DECLARATION}
    named = {getattr(ReleaseFile, name): changed for name, changed in data.items()}
    return sealed_files(content.without_files, held | named)[1]


def card(release: PlannedRelease) -> str:
    return release.files[ReleaseFile.CARD].decode().replace("\\", "")


def numbers(release: PlannedRelease) -> dict[str, str]:
    """What is said of each recomputed number of the only question, by its name."""
    checks = checks_of(release.files)
    assert failure_words(checks) is None
    start = f", {question_of(release).title}"
    return {check.about.split(start, 1)[1]: check.state for check in checks if start in check.about}


def test_spans_have_alpha_and_f1_by_label_and_no_kappa(spans: PlannedRelease) -> None:
    named = own_agreement(question_of(spans))
    assert [label for label, title in named if title == "F1 by characters"] == [
        "",
        "insult",
        "threat",
        "profanity",
    ]
    assert named["threat", "F1 by characters"].value == 1
    assert named["threat", "F1 by characters"].interval is not None
    for title in ("Krippendorff's alpha, unitised", "F1 by characters"):
        assert f"| {title} |" in card(spans)
    assert not re.search("kappa|AC1|pass by majority", card(spans).split("## What experts judged")[1])


def test_each_number_of_spans_is_computed_again(spans: PlannedRelease) -> None:
    found = numbers(spans)
    assert {*found.values()} == {"holds"}
    assert {": F1 by characters", ", insult: Krippendorff's alpha, unitised"} <= found.keys()
    assert not any("kappa" in name or "AC1" in name for name in found)


@pytest.mark.parametrize("label", ["", "insult"])
def test_forged_f1_fails_in_its_row(spans: PlannedRelease, label: str) -> None:
    agreement = tuple(
        facts.model_copy(
            update={
                "coefficients": facts.coefficients
                | {"character_f1": replace(facts.coefficients["character_f1"], value=0.99, reason=None)}
            }
        )
        if facts.label == label
        else facts
        for facts in question_of(spans).agreement
    )
    files = forged(spans, with_question(spans, agreement=agreement))
    whose = f", {label}" if label else ""
    assert failing(files) == {f"study toxic, toxic spans{whose}: F1 by characters"}


def test_forged_kappa_of_spans_fails_though_it_is_not_shown(spans: PlannedRelease) -> None:
    kappa = replace(question_of(spans).kappa, value=0.9, reason=None)
    assert failing(forged(spans, with_question(spans, kappa=kappa))) == {
        "study toxic, toxic spans: Fleiss' kappa"
    }


@pytest.mark.parametrize("kind", ["spans", "rankings"])
def test_a_release_that_did_not_state_them_yet_holds(kind: str, request: pytest.FixtureRequest) -> None:
    release: PlannedRelease = request.getfixturevalue(kind)
    files = forged(release, with_question(release, pages=11, agreement=()))
    assert not failing(files)
    told = {
        check.about for check in checks_of(files) if "earlier state of this program did not" in check.detail
    }
    assert len(told) == (8 if kind == "spans" else 1)
    assert failing(forged(release, with_question(release, agreement=())))


def test_rankings_have_w_tau_b_and_equal_pairs(rankings: PlannedRelease) -> None:
    named = own_agreement(question_of(rankings))
    equal = named["", "pairs of raters with the same answer"]
    assert equal.value == 0.25
    head = next(line for line in card(rankings).splitlines() if "Kendall's W" in line)
    assert "pairs of raters with the same answer" in head
    assert "Kendall's tau-b of pairs, mean over cases" in head
    assert not re.search("kappa|AC1|pass by majority", card(rankings).split("## What experts judged")[1])
    found = numbers(rankings)
    assert {*found.values()} == {"holds"}
    assert ": Kendall's W, mean over cases" in found


@pytest.mark.parametrize("kind", ["spans", "rankings"])
def test_metadata_and_script_say_what_there_is(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    release: PlannedRelease = request.getfixturevalue(kind)
    metadata = release.files[ReleaseFile.CROISSANT].decode()
    assert "Fleiss" not in metadata
    assert ("F1 by characters" if kind == "spans" else "Kendall's W") in metadata
    for name in (ReleaseFile.STUDIES, ReleaseFile.LABELS, ReleaseFile.SCRIPT):
        (tmp_path / Path(name).name).write_bytes(release.files[name])
    done = subprocess.run(
        [sys.executable, "agreement.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    (said,) = done.stdout.splitlines()
    assert said.endswith("; this script does not compute their agreement, and `reviewer release verify` does")


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('{"length":57,"spans":[]}', "its spans are of a text of 57 characters, and this one has 56"),
        ('{"length":56,"spans":[[0,1,"insult"]]}', "span 0:1:insult cuts a letter apart"),
    ],
)
def test_published_spans_that_are_not_of_their_text_fail(spans: PlannedRelease, value: str, why: str) -> None:
    lines = [json.loads(line) for line in spans.files[ReleaseFile.LABELS].decode().splitlines()]
    hindi = next(case for key, case in spans.content.cases.items() if key == "c2")
    for line in lines:
        line["label"] = value if line["case"] == hindi else line["label"]
    data = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()
    checks = checks_of(forged(spans, spans.content, LABELS=data))
    (said,) = [check for check in checks if check.about == "spans of study toxic"]
    assert said.state == "fails"
    assert said.detail.startswith("2 of 8 labels do not fit the text of their case, such as one on 'c2': ")
    assert why in said.detail


def test_spans_of_their_text_hold(spans: PlannedRelease) -> None:
    (said,) = [check for check in checks_of(spans.files) if check.about == "spans of study toxic"]
    assert (said.state, said.detail) == ("holds", "8 labels fit the text of their case")


def test_checklist_has_the_coefficients_of_the_kind(spans: PlannedRelease, rankings: PlannedRelease) -> None:
    marked, ranked = (checklist_of_release(made.content, "out").answers for made in (spans, rankings))
    assert marked["agreement"].startswith("toxic spans: Krippendorff's alpha, unitised .59")
    assert "F1 by characters .62" in marked["agreement"]
    assert ranked["agreement"].startswith("ranking: Kendall's W, mean over cases .70")
