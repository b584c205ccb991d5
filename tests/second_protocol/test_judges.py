"""Opinions against people, on a simulated study of sixty cases, beside a calculation by hand."""

import csv
import io
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from reviewer.protocols.base import Value
from reviewer.protocols.registry import Protocols
from reviewer.report.report_choices import USUAL
from reviewer.report.report_statistics import compute_statistics
from reviewer.report.study_report import study_document
from reviewer.results.labels.agreement_results import Method
from reviewer.study.design.closing import close_study
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.integrity.quarantine import read_study
from store.case_import import Entry, import_entries
from store.database import Database
from store.ledger import Ledger
from store.records import Dataset, JsonValue, Measurement, Membership
from tests.cli.conftest import Run
from tests.second_protocol.material import a_dialogue
from tests.studies import AT
from tests.tiny_protocol.protocol import FIT, PREFERENCE, Tiny

CASES, RATERS, GRADES = 60, ("anna", "ben", "cara"), tuple("1234567")
LABELS = {"preference": PREFERENCE.labels, "fit": GRADES}


class Opinionated(Tiny):
    """A model's choice is published as A, B or C, and its grade as a number."""

    questions = (PREFERENCE, FIT.model_copy(update={"scale": "ordinal"}))
    values = (
        Value("choice", "preference", {"A": "first", "B": "second", "C": "tie"}),
        Value("grade", "fit", {grade: grade for grade in GRADES}, "the model's grade"),
    )


PROTOCOLS = Protocols(Opinionated())
Label = str | None
MEANS = {"A": "first", "B": "second", "C": "tie"}


class Simulated:
    """Labels of three raters and published values of sixty cases, the same in every run."""

    def __init__(self) -> None:
        chance = random.Random(19)
        self.groups = ["trains" if number % 3 else "tea" for number in range(CASES)]
        self.published: list[dict[str, JsonValue]] = []
        self.labels: dict[str, dict[str, list[Label]]] = {key: {r: [] for r in RATERS} for key in LABELS}
        for number in range(CASES):
            choice, grade = chance.choice(PREFERENCE.labels), chance.randrange(7)
            for rater in RATERS:
                own = choice if chance.random() < 0.75 else chance.choice(PREFERENCE.labels)
                self.labels["preference"][rater].append(own)
                near = min(6, max(0, grade + chance.choice((-1, 0, 0, 0, 1))))
                missing = rater == "cara" and number % 7 == 0
                self.labels["fit"][rater].append(None if missing else GRADES[near])
            said = {"first": "A", "second": "B", "tie": "C"}[
                choice if chance.random() < 0.6 else chance.choice(PREFERENCE.labels)
            ]
            values: dict[str, JsonValue] = {} if number % 10 == 0 else {"choice": said}
            if number % 20 == 7:
                values["choice"] = "cannot decide"
            values["grade"] = float(min(7, max(1, grade + 1 + chance.choice((-2, -1, 0, 1)))))
            self.published.append(values)

    def said(self, question: str) -> list[Label]:
        """The label that each case's opinion stands for."""
        if question == "fit":
            return [str(int(values["grade"])) for values in self.published]
        return [MEANS.get(str(values.get("choice"))) for values in self.published]

    def final(self, question: str) -> list[Label]:
        """The label of more than half of the votes."""
        finals: list[Label] = []
        for votes in zip(*self.labels[question].values(), strict=True):
            given = [vote for vote in votes if vote]
            label, count = Counter(given).most_common(1)[0]
            finals.append(label if 2 * count > len(given) else None)
        return finals


SIMULATED = Simulated()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The simulated study, open, and with cara's last grades missing."""
    path = tmp_path_factory.mktemp("judges") / "reviewer.db"
    with closing(Database.open(str(path), protocols=PROTOCOLS)) as database:
        header = Dataset(name="talks", protocol="tiny", source="a test", imported_at=AT)
        import_entries(database, header, [entry(number) for number in range(CASES)])
        create_study(database, "pilot", Design(("talks",), None, 3))
        for rater in RATERS:
            answer(database, rater)
    return path


def entry(number: int) -> Entry:
    case = a_dialogue(number, SIMULATED.groups[number])
    about: dict[str, Any] = {"dataset": "talks", "key": f"case/{number}"}
    place = Membership.model_validate(
        {**about, "case": case.digest, "position": number, "generator": "model-1", "origin": "generated"}
    )
    published = tuple(
        Measurement(case=case.digest, name=name, source="published", value=value, **about)
        for name, value in SIMULATED.published[number].items()
    )
    return Entry(case, place, published)


def answer(database: Database, rater: str, study: str = "pilot") -> None:
    bundle, _ = read_study(database, study)
    join_study(database, bundle.study, rater)
    keys = {place.case: int(place.key.removeprefix("case/")) for place in bundle.sample}
    with Ledger(database).turn(study, rater, "") as turn:
        for question in bundle.questions:
            for slot in bundle.slots(question):
                if label := SIMULATED.labels[question.key][rater][keys[slot.case]]:
                    digest = bundle.shown_digest(slot)
                    about = {"case": slot.case, "question": question.key, "question_digest": digest}
                    turn.add(**about, given="app", kind="label", value=label)


@pytest.fixture
def unfinished(whole: Path, tmp_path: Path) -> Database:
    """A copy of the study's store, which commands find without being told."""
    shutil.copy(whole, tmp_path / "reviewer.db")
    return Database.open(str(tmp_path / "reviewer.db"), protocols=PROTOCOLS)


@pytest.fixture
def database(unfinished: Database) -> Database:
    close_study(unfinished, "pilot", "lead", anyway=True)
    return unfinished


def printed(run: Run, *options: object) -> list[dict[str, Any]]:
    """The rows of the command's JSON."""
    done = run("judges", "pilot", "--resamples", 2000, *options, "--format", "json", protocols=PROTOCOLS)
    assert done.code == 0, done.err
    rows: list[dict[str, Any]] = json.loads(done.out)
    return rows


# -- by hand ---------------------------------------------------------------------------------------

Weight = Callable[[str, str], Fraction]


def same(one: str, other: str) -> Fraction:
    return Fraction(int(one == other))


def near(one: str, other: str) -> Fraction:
    return 1 - Fraction((int(one) - int(other)) ** 2, 36)


WEIGHTS: Mapping[str, Weight] = {"preference": same, "fit": near}


def share(pairs: Sequence[tuple[str, str]]) -> float:
    return sum(one == other for one, other in pairs) / len(pairs)


def kappa(pairs: Sequence[tuple[str, str]], weight: Weight) -> float:
    n = len(pairs)
    observed = sum(weight(*pair) for pair in pairs) / n
    first, second = (Counter(pair[side] for pair in pairs) for side in (0, 1))
    expected = sum(weight(a, b) * first[a] * second[b] for a in first for b in second) / Fraction(n * n)
    return float((observed - expected) / (1 - expected))


def both(one: Sequence[Label], other: Sequence[Label], at: Sequence[int]) -> list[tuple[str, str]]:
    pairs = [(one[number], other[number]) for number in at]
    return [(first, second) for first, second in pairs if first is not None and second is not None]


def places(question: str, group: str = "all") -> list[int]:
    """The cases of a group that have an opinion."""
    said = SIMULATED.said(question)
    return [n for n in range(CASES) if said[n] and group in ("all", SIMULATED.groups[n])]


@pytest.mark.parametrize(("opinion", "question"), [("choice", "preference"), ("grade", "fit")])
def test_against_the_final_labels(database: Database, run: Run, opinion: str, question: str) -> None:
    rows = {row["group"]: row for row in printed(run) if row["opinion"] == opinion}
    assert list(rows) == ["tea", "trains", "all"]
    for group, row in rows.items():
        at, final = places(question, group), SIMULATED.final(question)
        pairs = both(SIMULATED.said(question), final, at)
        assert len(pairs) < len(at) or group != "all", "some final labels are open"
        whole = [n for n in range(CASES) if group in ("all", SIMULATED.groups[n])]
        unmapped = sum(SIMULATED.published[n].get("choice") == "cannot decide" for n in whole)
        wanted = {
            "question": question,
            "items": len(whole),
            "abstained": len(whole) - len(at),
            "not_mapped": unmapped if question == "preference" else 0,
            "open": len(at) - len(pairs),
            "compared": len(pairs),
            "kappa_weights": "quadratic" if question == "fit" else "identity",
        }
        assert {name: row[name] for name in wanted} == wanted
        assert row["absent"] == row["abstained"] - row["not_mapped"]
        assert row["accuracy"] == pytest.approx(share(pairs), abs=1e-9)
        assert row["kappa"] == pytest.approx(kappa(pairs, WEIGHTS[question]), abs=1e-9)
        assert row["accuracy_method"] == "Wilson"
        assert row["kappa_low"] < row["kappa"] < row["kappa_high"]
        assert row["kappa_method"] == "bootstrap"


def test_linear_weights_on_request(database: Database, run: Run) -> None:
    (row,) = (row for row in printed(run, "--by", "", "--weights", "linear") if row["opinion"] == "grade")
    pairs = both(SIMULATED.said("fit"), SIMULATED.final("fit"), places("fit"))
    by_steps = kappa(pairs, lambda one, other: 1 - Fraction(abs(int(one) - int(other)), 6))
    assert (row["kappa_weights"], row["kappa"]) == ("linear", pytest.approx(by_steps, abs=1e-9))


def test_confusion_counts_every_item_once(database: Database, run: Run) -> None:
    rows = [row for row in printed(run, "--confusion") if row["group"] == "all"]
    for opinion, question in (("choice", "preference"), ("grade", "fit")):
        said, final = SIMULATED.said(question), SIMULATED.final(question)
        counts = {(row["says"], row["final"]): row["count"] for row in rows if row["opinion"] == opinion}
        assert len(counts) == (len(LABELS[question]) + 1) ** 2
        assert Counter({cell: count for cell, count in counts.items() if count}) == Counter(
            zip(said, final, strict=True)
        )
    done = run("judges", "pilot", "--confusion", protocols=PROTOCOLS)
    table, _, grades = done.out.partition("\n\n")
    assert "abstained" in table
    assert [len(part.splitlines()) for part in (table, grades.rstrip())] == [2 + 4, 2 + 8]


@pytest.mark.parametrize(("opinion", "question"), [("choice", "preference"), ("grade", "fit")])
def test_beside_each_rater(database: Database, run: Run, opinion: str, question: str) -> None:
    options = ("--raters", "--by", "", "--seed", 5)
    rows = {row["rater"]: row for row in printed(run, *options) if row["opinion"] == opinion}
    assert list(rows) == [*RATERS, "all raters"]
    said, labels, weight = SIMULATED.said(question), SIMULATED.labels[question], WEIGHTS[question]

    def with_judge(rater: str, at: Sequence[int]) -> tuple[float, float]:
        pairs = both(said, labels[rater], at)
        return share(pairs), kappa(pairs, weight)

    def between(raters: Sequence[tuple[str, str]], at: Sequence[int]) -> tuple[float, float]:
        found = [both(labels[one], labels[other], at) for one, other in raters]
        return mean(map(share, found)), mean(kappa(pairs, weight) for pairs in found)

    def by_hand(rater: str, at: Sequence[int]) -> list[tuple[float, float]]:
        """Judge, raters and difference, of same labels and of kappa."""
        own = RATERS if rater == "all raters" else (rater,)
        pairs = [pair for pair in combinations(RATERS, 2) if len(own) > 1 or rater in pair]
        judge = [mean(parts) for parts in zip(*(with_judge(one, at) for one in own), strict=True)]
        others = between(pairs, at)
        return [*zip(judge, others, strict=True)]

    at = places(question)
    chance = random.Random(1)
    drawn = [chance.choices(at, k=len(at)) for _ in range(80)]
    for rater, row in rows.items():
        for measure, (judge, others) in zip(("agreement", "kappa"), by_hand(rater, at), strict=True):
            assert row[f"judge_{measure}"] == pytest.approx(judge, abs=1e-9)
            assert row[f"raters_{measure}"] == pytest.approx(others, abs=1e-9)
            assert row[f"{measure}_difference"] == pytest.approx(judge - others, abs=1e-9)
        if rater in ("anna", "all raters"):
            spread = stdev(
                judge - others for resample in drawn for judge, others in [by_hand(rater, resample)[1]]
            )
            width = row["kappa_difference_high"] - row["kappa_difference_low"]
            assert width == pytest.approx(2 * 1.96 * spread, rel=0.25), "cases are resampled"
    if question == "fit":
        assert rows["cara"]["shared"] < rows["anna"]["shared"] == len(at)


def test_the_same_seed_gives_the_same_table_and_csv_has_the_same_numbers(
    database: Database, run: Run
) -> None:
    words = ("judges", "pilot", "--raters", "--by", "", "--resamples", 300, "--format", "csv")
    first, second, other = (run(*words, "--seed", seed, protocols=PROTOCOLS).out for seed in (1, 1, 2))
    assert first == second != other
    rows = list(csv.DictReader(io.StringIO(first)))
    assert [row["rater"] for row in rows] == [*RATERS, "all raters"] * 2
    bare = run(*words, "--interval", "none", protocols=PROTOCOLS).out
    assert {row["kappa_difference_low"] for row in csv.DictReader(io.StringIO(bare))} == {""}


def test_nobody_sees_opinions_while_somebody_has_not_finished(unfinished: Database, run: Run) -> None:
    refused = run("judges", "pilot", protocols=PROTOCOLS)
    assert (refused.code, refused.out) == (2, "")
    assert "Raters judge alone" in refused.err
    assert "cara has done 111 of 120" in refused.err
    close_study(unfinished, "pilot", "lead", anyway=True)
    shown = run("judges", "pilot", protocols=PROTOCOLS)
    assert shown.code == 0
    assert "the model's grade" in shown.out
    assert "κ has quadratic weights where labels stand in order" in shown.err


def test_what_cannot_be_compared_is_refused(database: Database, run: Run) -> None:
    strange = run("judges", "pilot", "--by", "rater", protocols=PROTOCOLS)
    assert (strange.code, strange.out) == (2, "")
    assert "cannot divide by 'rater'; use each of group, generator, dataset at most once." in strange.err
    none = run("judges", "pilot", protocols=Protocols(Tiny()))
    assert (none.code, none.out) == (2, "")
    assert "TINY declares no value to be an opinion on a question of this study" in none.err


def test_a_report_has_the_opinions_once_they_may_be_seen(unfinished: Database, run: Run) -> None:
    def pages() -> str:
        options = ("-o", "out", "--no-figures", "--resamples", 100)
        assert run("report", "pilot", *options, protocols=PROTOCOLS).code == 0
        return Path("out/report.md").read_text(encoding="utf-8")

    assert "Opinions" not in pages()
    close_study(unfinished, "pilot", "lead", anyway=True)
    page = pages()
    assert "## Opinions" in page
    assert "Labels of the model's grade by final label" in page
    assert "reviewer judges pilot --interval bootstrap --level 0.95 --resamples 100" in page
    assert "abstained" in page
    for caption in ("Opinions on each label", "Shares of labels beyond the drawn cases"):
        assert f"**{caption}**" in page
    assert "“choice” for preference may" in page
    assert "reviewer judges pilot --shares --interval bootstrap" in page
    bundle, events = read_study(unfinished, "pilot")
    found = compute_statistics(bundle, events, Method(resamples=100), USUAL, with_opinions=True)
    assert [result.opinion.name for result in found.judges if result.raters] == ["choice", "grade"]
    assert any("opinion" in str(block) for block in study_document(found).blocks)
