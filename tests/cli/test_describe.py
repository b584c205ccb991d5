"""What only leads can say about studies, and authors about datasets, kept once."""

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.studies import a_study, open_store


def test_what_is_said_is_kept_and_a_new_text_takes_its_place(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    told = run("study", "describe", "pilot", "--recruitment", "two friends", "--as", "eve", "--format", "csv")
    assert told.code == 0, told.err
    assert told.out.splitlines()[1].startswith("recruitment,two friends,eve,2")
    assert "Not described yet: independence, consent." in told.err
    run("study", "describe", "pilot", "--recruitment", "three", "--consent", "in writing", "--as", "zoe")
    shown = run("study", "describe", "pilot", "--format", "csv").out
    assert "recruitment,three,zoe," in shown
    assert "consent,in writing,zoe," in shown
    assert "friends" not in shown


def test_bad_texts_are_refused_and_nothing_is_kept(run: Run, tmp_path: Path) -> None:
    a_study(open_store(tmp_path))
    for text, why in [("", "is empty"), ("x" * 4001, "4,001 characters"), ("a\0b", "a NUL character")]:
        refused = run("study", "describe", "pilot", "--consent", "yes", "--independence", text, "--as", "eve")
        assert refused.code == 2
        assert why in refused.err
    assert run("study", "describe", "pilot", "--format", "csv").out == "topic,text,who,at\n"
    assert run("study", "describe", "nothing").code == 2
    assert run("study", "describe", "pilot", "--consent", "yes", "--as", "no/name").code == 2


def test_texts_of_authors_are_shown_with_their_properties_and_what_is_missing(
    run: Run, tmp_path: Path
) -> None:
    a_study(open_store(tmp_path))
    shown = run("datasets", "describe", "pilot-data", "--uses", "To test models.", "--format", "json")
    assert shown.code == 0, shown.err
    (row,) = json.loads(shown.out)
    assert (row["topic"], row["property"], row["text"]) == ("uses", "rai:dataUseCases", "To test models.")
    assert "Missing: collection, source, biases, limitations, sensitive, impact, maintenance." in shown.err
    assert run("datasets", "describe", "none", "--uses", "x").code == 2
    refused = run("datasets", "describe", "pilot-data", "--uses", "")
    assert (refused.code, "the text on uses is empty" in refused.err) == (2, True)
