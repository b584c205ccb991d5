"""A rater who owes answers does not tell or change what others answered: by packs, links and imports."""

from contextlib import closing
from pathlib import Path

import pytest

from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.studies import a_study, open_store

LABELS = "key,rater,question,label\n{key},{rater},same task,True\n"
ASKED = (
    ("study", "pack", "pilot", "--rater", "ben", "-o", "ben.review"),
    ("study", "link", "pilot", "--rater", "ben", "--url", "https://example.org"),
    ("study", "link", "pilot", "--rater", "ben", "--revoke"),
    ("import", "ben.csv", "--study", "pilot"),
    ("import", "ben.csv", "--study", "pilot", "--dry-run"),
)


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study that ben has begun, led by tom; anna is at the keyboard, and has a case to answer."""
    (tmp_path / "settings.toml").write_text('name = "anna"\n')
    monkeypatch.setenv("REVIEWER_SETTINGS", str(tmp_path / "settings.toml"))
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=1, lead="tom")
        for rater in ("anna", "ben"):
            ReviewSession(database, "pilot", rater).answer("True")
        key = ReviewSession(database, "pilot", "ben").bundle.sample[0].key
    for rater in ("anna", "ben"):
        (tmp_path / f"{rater}.csv").write_text(LABELS.format(key=key, rater=rater))
    return tmp_path


@pytest.mark.parametrize("command", ASKED)
def test_a_rater_who_owes_answers_does_not_act_for_another(
    run: Run, study: Path, command: tuple[str, ...]
) -> None:
    refused = run(*command)
    assert (refused.code, refused.out) == (2, "")
    assert "You still have cases of study pilot to answer" in refused.err
    assert "what ben answered. Finish them first, or ask the study's lead" in refused.err
    assert not (study / "ben.review").exists()


@pytest.mark.parametrize("command", ASKED)
def test_a_lead_acts_for_raters(run: Run, study: Path, command: tuple[str, ...]) -> None:
    (study / "settings.toml").write_text('name = "tom"\n')
    done = run(*command)
    assert done.code == 0, done.err


def test_a_rater_acts_for_themselves(run: Run, study: Path) -> None:
    done = run("import", "anna.csv", "--study", "pilot")
    assert done.code == 0, done.err
    assert run("study", "pack", "pilot", "--rater", "anna", "-o", "anna.review").code == 0


def test_once_all_is_answered_a_rater_acts_for_others(run: Run, study: Path) -> None:
    with closing(open_store(study)) as database:
        session = ReviewSession(database, "pilot", "anna")
        while not session.finished:
            session.answer("True")
    done = run("import", "ben.csv", "--study", "pilot")
    assert done.code == 0, done.err
