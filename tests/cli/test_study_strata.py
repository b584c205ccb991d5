"""Drawing from strata at the command line, and blinding of raters until the study is closed."""

import json
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from tests.audited_dataset import SERIOUS, fill_audited
from tests.cli.conftest import Run
from tests.studies import open_store

DRAWN = ("--dataset", "one", "--strata", "findings", "--total", 12)
GUESSES = ("--guess", "none=1,serious=.6", "--guess", "doubtful=.8,not tested=.9")
PLANTED = (
    "serious",
    "doubtful",
    SERIOUS,
    "neyman",
    "Neyman",
    "not tested",
    "probability of",
    "inclusion_prob",
    "strata",
)
"""Words of which a rater reads none: strata, what they are made by, and how cases were allocated to them."""


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The settings of the person at the keyboard."""
    path = tmp_path / "settings.toml"
    monkeypatch.setenv("REVIEWER_SETTINGS", str(path))
    path.write_text('name = "tom"\n')
    return path


@pytest.fixture
def store(tmp_path: Path, settings: Path) -> None:
    fill_audited(open_store(tmp_path))


@pytest.mark.usefixtures("store")
def test_a_study_is_drawn_from_strata_and_says_what_was_assumed(run: Run) -> None:
    made = run("study", "new", "pilot", *DRAWN, *GUESSES)
    assert made.code == 0, made.err
    assert made.out.startswith("pilot: 12 cases, 48 verdicts a rater")
    assert (
        "Drawn of each stratum: serious 6 of 6; doubtful 3 of 4; not tested 1 of 1; none 2 of 9." in made.err
    )
    assert "For the allocation, guessed pass rates are taken as 0.02 at least, 0.98 at most" in made.err
    shown = json.loads(run("study", "show", "pilot", "--format", "json").out)
    assert {row["stratum"]: row["probability"] for row in shown} == {
        "serious": 1,
        "doubtful": 3 / 4,
        "not tested": 1,
        "none": pytest.approx(2 / 9),
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--dataset", "one", "--allocate", "equal"), "--allocate is about strata; give --strata too"),
        (("--dataset", "one", "--guess", "none=.9"), "--guess is about strata; give --strata too"),
        (("--dataset", "one", "--guess-from", "x"), "--guess-from is about strata; give --strata too"),
        (
            ("--cases", "list.csv", "--strata", "group"),
            "--cases lists every case of the sample; leave --strata",
        ),
        ((*DRAWN, "--guess", "none"), "guess 'none' is not a stratum and a pass rate from 0 to 1"),
        ((*DRAWN, "--allocate", "neyman"), "--allocate neyman needs guessed pass rates of the strata"),
        ((*DRAWN[:-1], 21), "there are 20 cases to draw; you asked for 21"),
        ((*DRAWN[:-1], 6), "4 strata need 7 cases, 2 of each that has two; you asked for 6"),
        (DRAWN[:-2], "a total is allocated to them; give --total"),
        ((*DRAWN, "--finding", SERIOUS), "leave out --per-group, --finding, --others and --revised-since"),
        (
            ("--dataset", "one", "--strata", "finding:by_default", "--total", 9),
            "makes only one stratum: 'none'",
        ),
        (("--dataset", "none", "--strata", "group", "--total", 9), "dataset 'none' is not in the store"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("store")
def test_what_does_not_fit_is_refused_and_nothing_is_written(
    run: Run, options: tuple[object, ...], said: str
) -> None:
    refused = run("study", "new", "pilot", *options)
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert "Traceback" not in refused.err
    assert json.loads(run("study", "list", "--format", "json").out) == []


@pytest.mark.usefixtures("store")
def test_raters_learn_nothing_of_strata_before_the_study_is_closed(
    run: Run, settings: Path, tmp_path: Path
) -> None:
    made = run(
        "study", "new", "pilot", *DRAWN, *GUESSES, "--rater", "anna", "--rater", "ben", "--lead", "tom"
    )
    assert made.code == 0, made.err
    assert run("study", "pack", "pilot", "--rater", "anna", "--bare", "-o", "anna.review").code == 0
    for rater in ("anna", "ben"):
        session = ReviewSession(open_store(tmp_path), "pilot", rater)
        for _ in session.slots if rater == "ben" else session.slots[:3]:
            session.answer("True")
    for who in ("anna", "ben"):
        settings.write_text(f'name = "{who}"\n')
        told = reached(run, tmp_path, who)
        assert not [(place, word) for place, text in told.items() for word in PLANTED if word in text]
    pack = (tmp_path / "anna.review").read_bytes().decode("utf-8", errors="replace")
    severities = {"serious", "doubtful"}  # each store names them in the declaration of its tables
    assert not [word for word in {*PLANTED} - severities if word in pack]
    assert run("study", "close", "pilot", "--as", "tom", "--anyway").code == 0
    shown = run("study", "show", "pilot", "--format", "json").out
    assert {row["stratum"] for row in json.loads(shown)} == {"serious", "doubtful", "not tested", "none"}


def reached(run: Run, folder: Path, who: str) -> dict[str, str]:
    """What the commands on the study print and write for this person, by command."""
    commands: dict[str, tuple[object, ...]] = {
        "study show": ("pilot",),
        "study show design": ("pilot", "--design"),
        "study list": (),
        "study links": ("pilot",),
        "study describe": ("pilot",),
        "progress": ("pilot", "--as", who),
        "cases": ("--format", "json"),
        "labels": ("pilot", "--format", "json"),
        "agreement": ("pilot", "--interval", "none", "--legend"),
        "report": ("pilot", "--no-figures", "--interval", "none", "-o", f"report-{who}"),
        "export": ("pilot", "-o", f"export-{who}"),
    }
    told = {}
    for name, arguments in commands.items():
        words = [word for word in name.split() if word != "design"]
        done = run(*words, *arguments)
        told[name] = done.out + done.err
    for path in sorted(folder.glob(f"*-{who}/**/*")):
        if path.is_file():
            told[str(path.relative_to(folder))] = path.read_text(encoding="utf-8", errors="replace")
    return told
