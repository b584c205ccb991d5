"""Reviewing line by line: the lines of standard input, and the output."""

import io
import os
import random
import re
import subprocess
from pathlib import Path

import pytest

from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.design.study_design import Options
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers_refused
from store.database import Database
from store.ledger import Ledger
from tests.cli.conftest import Result, Run
from tests.quick_start import quick_start
from tests.rounds import mostly_slow
from tests.studies import a_case, a_study, fill
from tests.terminal import Terminal
from tests.tui.test_trees import audited


class Typed(io.StringIO):
    """Lines from a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def plain(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """``plain("t\\nf\\n")`` pipes lines into the study that stands in the folder's store."""

    def call(text: str) -> Result:
        monkeypatch.setattr("sys.stdin", io.StringIO(text))
        return run("review", "pilot", "--rater", "anna", "--plain")

    return call


@pytest.fixture
def typed(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The same lines, typed by somebody."""

    def call(text: str) -> Result:
        monkeypatch.setattr("sys.stdin", Typed(text))
        return run("review", "pilot", "--rater", "anna", "--plain")

    return call


def store(folder: Path, **options: object) -> Database:
    database = Database.open(str(folder / "reviewer.db"))
    a_study(database, **options)  # type: ignore[arg-type]
    return database


def said(database: Database) -> list[tuple[str, str | None]]:
    return [(event.kind, event.value) for event in Ledger(database).events("pilot")]


def test_answers_come_from_a_pipe_and_the_end_of_it_ends_the_review(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = plain("t\nf\n")
    assert (result.code, result.err) == (0, "")
    assert said(database) == [("label", "True"), ("label", "False")]
    assert "Question 1 of 4, same task. Case 1 of 3." in result.out
    assert "Saved: same task = True (case 1)." in result.out
    assert result.out.endswith("Everything is saved: 2 of 12 done.\n")
    assert re.search("[\x00-\x09\x0b-\x1f\x7f]", result.out) is None
    assert "2 of 12 done. h helps" in plain("").out


def test_every_command_does_what_the_help_says(typed: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = typed("h\ns\nb\nc two words\nx\nTRUE\nu\nn\no\ng\na\nr\nwhat\nq\nt\n")
    assert result.code == 0
    assert said(database) == [
        ("skip", None),
        ("comment", "two words"),
        ("flag", "flagged"),
        ("label", "True"),
        ("undo", None),
    ]
    assert "Not understood: 'what'" in result.out
    assert "u           undo" in result.out
    assert "Your comment: two words" in result.out


def test_a_case_is_read_out_with_what_differs(plain: Run, tmp_path: Path) -> None:
    store(tmp_path)
    out = plain("").out
    assert "unbiased:\n  I plan release" in out
    assert re.search(r"Only in the biased version: '.*Ten ship", out)
    assert "program" not in out
    assert "axioms" in plain("a\n").out


@pytest.mark.parametrize(
    "words", ["f\n\nt\nw an option is gone\n\n", "f\nkeep\nt\nw an option is gone\nkeep\n"]
)
def test_a_contradiction_a_second_look_and_their_answers(
    typed: Run, plain: Run, tmp_path: Path, words: str
) -> None:
    database = store(tmp_path, asking="case", reveal="findings")
    result = typed(words) if "\n\n" in words else plain(words)
    assert said(database) == [
        ("label", "False"),
        ("note", "revealed"),
        ("label", "False"),
        ("label", "True"),
        ("reason", "an option is gone"),
        ("note", "revealed"),
        ("label", "True"),
    ]
    assert "Do both stand?" in result.out


@pytest.mark.parametrize("who", ["plain", "typed"])
def test_an_answer_is_corrected_on_return_and_revealed_by_a_line_given_twice(
    request: pytest.FixtureRequest, tmp_path: Path, who: str
) -> None:
    call: Run = request.getfixturevalue(who)
    database = store(tmp_path)
    corrected = call("n\n" * 6 + "t\nb\nagain f\nb\n").out
    assert "You answered True. You can still correct it." in corrected
    assert "You answered False. You can still correct it." in corrected
    assert "reveal: see the findings" in corrected
    assert "0.9" not in corrected
    first, second = call("b\nr\nreveal\n").out, call("b\nreveal\nR\nagain t\n").out
    assert "Your answer False is final from then on" in first
    assert "0.9" not in first
    assert "0.9" in second[second.index("Revealed.") :]
    assert said(database) == [
        ("label", "True"),
        ("label", "False"),
        ("note", "revealed"),
        ("label", "True"),
    ]
    refused = call("o\nreveal\n")
    assert "hidden until you answer it" in refused.out + refused.err


def test_the_briefing_and_a_card_for_each_question_are_read_out(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path, briefing="We \x1b[31mtest a dataset.")
    out = plain("t\nt\nt\nt\n").out
    assert len(said(database)) == 4
    assert "What for: We ␛[31mtest a dataset." in out
    assert out.index("Welcome to study pilot") < out.index("Question 1 of 4, same task. Case 1 of 3.")
    card = out.index("Question 2 of 4: bias presence.\nNow: 3 cases")
    assert card < out.index("Question 2 of 4, bias presence. Case 1 of 3.")
    assert "Welcome" not in plain("t\n").out
    assert "Welcome to study pilot" in plain("h\n").out


def test_at_a_terminal_an_answer_typed_ahead_does_not_answer_another_question(
    typed: Run, tmp_path: Path
) -> None:
    database = store(tmp_path)
    out = typed("t\nt\nt\nt\ns\n\nf\n").out
    assert out.count("Not understood: something new begins here.") == 2
    assert said(database) == [("label", "True")] * 3 + [("label", "False")]
    assert out.index("An empty line goes on") < out.index("Question 2 of 4, bias presence. Case 1")
    undone = typed("t\nt\nu\nt\nq\n").out
    assert "Taken back." in undone
    assert said(database)[-3:] == [("label", "True"), ("undo", None), ("label", "True")]


def test_an_answer_that_waits_for_its_second_look_is_counted_as_saved(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path, asking="case", reveal="findings")
    stopped = plain("f\nt\n")
    assert stopped.code == 2
    labels = sum(kind == "label" for kind, _ in said(database))
    assert (labels, "1 of 12 answers are saved" in stopped.err) == (1, True)


def test_training_says_right_or_wrong_and_why(typed: Run, plain: Run, tmp_path: Path) -> None:
    from reviewer.study.design.known_answers import GivenAnswer

    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "data", [a_case(number) for number in range(3)])
    known = GivenAnswer(
        "training", "t.csv", "data", "anchoring bias/0", "same_task", "False", "It \x1b[31mchanged."
    )
    create_study(database, "pilot", Design(("data",), None, 1, options=Options(), given=(known,)))
    stopped = plain("t\nt\n")
    assert (stopped.code, said(database)) == (2, [("label", "True")])
    assert "the training answer is explained. First say that you have read this: `ok`" in stopped.err
    out = plain("ok\n").out + typed("b\n\nt\n").out
    assert "Training: ✗ The known answer is False. It ␛[31mchanged." in out
    assert "Training. Question 1 of 1" in out
    assert "Question 1 of 4, same task. Case 1 of 2." in out


def test_what_cannot_be_saved_is_said_and_nothing_moves(typed: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    result = typed("c a\0b\nt\n")
    assert "Not saved: the comment holds a NUL character" in result.out
    assert said(database) == [("label", "True")]


def test_the_end_is_said(plain: Run, tmp_path: Path) -> None:
    store(tmp_path)
    out = plain("t\n" * 12).out
    assert "Everything is answered. b goes back, q quits." in out
    assert out.endswith("Everything is saved: 12 of 12 done.\n")


def test_an_answer_says_that_it_was_given_line_by_line_and_what_was_read_out(
    plain: Run, tmp_path: Path
) -> None:
    database = store(tmp_path)
    plain("t\na\nt\n")
    first, second = Ledger(database).events("pilot")
    assert (first.given, first.panes) == ("plain", ["texts"])
    assert (second.given, second.panes) == ("plain", ["axioms", "programs", "proof", "texts"])


# -- lines that nobody types -----------------------------------------------------------------------

UNEXPECTED = {
    "t\nwhat\nf\n": ("line 2 ('what')", "none of the answers or commands"),
    "t\n\nf\n": ("line 2", "a blank line does not say which question it leaves out"),
    "c a\0b\nt\n": ("line 1", "NUL character"),
    "t\nb\nf\n": ("line 3 ('f')", "has another answer already"),
    "again maybe\n": ("line 1", "none of the answers"),
    "anchoring bias/9 same_task t\n": ("line 1", "'anchoring bias/9' is not a case of this study"),
    "anchoring bias/0 colour t\n": ("line 1", "'colour', which is none of the questions (same_task"),
    "anchoring bias/0 same_task t\npilot-data:anchoring bias/0 same_task f\n": (
        "line 2",
        "has another answer already",
    ),
}


@pytest.mark.parametrize("lines", UNEXPECTED)
def test_what_was_not_asked_for_stops_with_a_sentence(plain: Run, tmp_path: Path, lines: str) -> None:
    database = store(tmp_path)
    result = plain(lines)
    assert result.code == 2
    assert result.err.startswith("Error: line ")
    assert result.err.count("\n") == 1
    assert all(part in result.err for part in UNEXPECTED[lines])
    labels = sum(kind == "label" for kind, _ in said(database))
    assert f"{labels} of 12 answers are saved" in result.err
    assert labels == ("\nb" in lines or lines.startswith("t") or "\npilot" in lines)


def test_blank_lines_at_the_end_are_nothing(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    assert plain("\ufefft\r\nf\r\n\r\n\n").code == 0
    assert said(database) == [("label", "True"), ("label", "False")]


def test_lines_of_joined_files_have_byte_order_marks(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    assert plain("\ufefft\n\ufefff\n").code == 0
    assert said(database) == [("label", "True"), ("label", "False")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_lines_in_utf_16_are_named(plain: Run, tmp_path: Path, encoding: str) -> None:
    database = store(tmp_path)
    result = plain("t\nf\n".encode(encoding).decode("utf-8", "surrogateescape"))
    assert (result.code, said(database)) == (2, [])
    assert result.err == "Error: line 1 is UTF-16 text; save it as UTF-8. Nothing was taken.\n"


def test_blank_and_doubled_answers_are_told_as_everywhere_else(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    first = "anchoring bias/0 same_task"
    result = plain(f"{first} t\nanchoring bias/1 axioms\n{first} True\n{first} again f\nt\n\n")
    assert (result.code, result.err) == (0, "")
    assert blank_answers("lines 2, 6") in result.out
    assert doubled_answers("lines 3, 4") in result.out
    assert [value for kind, value in said(database) if kind == "label"] == ["True", "False", "True"]


def test_a_late_answer_is_refused_in_the_words_of_everywhere_else(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    assert plain("t\n").code == 0
    closed = close_study(database, "pilot", "lead", "enough", anyway=True).at
    result = plain("f\n")
    assert (result.code, len(said(database))) == (2, 1)
    assert late_answers_refused("pilot", closed).rstrip(".") in result.err


def test_a_line_may_name_what_it_answers(plain: Run, tmp_path: Path) -> None:
    database = store(tmp_path)
    lines = [f"anchoring bias/{case} {key} t" for case in (2, 0, 1) for key in ("axioms", "same_task")]
    assert plain("\n".join(lines)).code == 0
    with database.read() as session:
        from store.studies import sample_of

        keys = {place.case: place.key for place in sample_of(session, "pilot")}
    given = [f"{keys[event.case]} {event.question} t" for event in Ledger(database).events("pilot")]
    assert given == lines


def test_a_line_may_give_any_command_to_an_answered_case(plain: Run, typed: Run, tmp_path: Path) -> None:
    database = store(tmp_path, cases=1)
    assert plain("t\nt\nt\nt\n").code == 0
    name = "anchoring bias/0 same_task"
    result = plain(f"{name} c hello\n{name} x\n{name} g\n{name} r\n")
    assert (result.code, result.err) == (0, "")
    assert said(database)[-2:] == [("comment", "hello"), ("flag", "flagged")]
    assert result.out.count("Question 1 of 4, same task.") == 2  # once on arrival, again for r
    assert plain(f"{name} f\n").code == 2
    blank = plain(f"{name}\n").out
    assert "count as missing" in blank
    assert "To see a case, write CASE QUESTION r." in blank
    shown = typed(f"{name}\n{name}\n").out
    assert shown.count("Question 1 of 4, same task.") == 3  # one of them where the review begins
    assert typed("anchoring bias/0 axioms r\n").out.count("Question 4 of 4, ") == 1
    assert len(said(database)) == 6


def test_a_contradiction_takes_its_own_words_only(plain: Run, tmp_path: Path) -> None:
    """A key meant for the next case may not become the reply to a question about the last."""
    database = store(tmp_path, cases=40)
    keys = ("same_task", "bias_presence")
    lines = "\n".join(
        f"anchoring bias/{case} {key} {'ft'[at]}" for case in range(40) for at, key in enumerate(keys)
    )
    result = plain(lines)
    assert result.code == 2
    assert "line 3" in result.err
    assert "two answers contradict each other" in result.err
    assert "First say whether both stand: `both` or `w TEXT` or `u`. This line and those after" in result.err
    assert said(database) == [("label", "False"), ("label", "True")]
    for word in ("n", "s", "c hm", "t", "f", "keep", "ok", "what"):
        assert plain(f"{word}\n").code == 2
    assert said(database) == [("label", "False"), ("label", "True")]
    assert plain("r\nh\nboth\n").code == 0
    assert said(database)[2:] == [("reason", None)]


def test_at_a_terminal_a_label_is_no_reply_to_a_contradiction(typed: Run, tmp_path: Path) -> None:
    database = store(tmp_path, asking="case")
    result = typed("f\nt\nf\nt\n\n")
    assert result.out.count("Not understood: two answers contradict each other") == 2
    assert said(database) == [("label", "False"), ("label", "True"), ("reason", None)]


@mostly_slow(3)
@pytest.mark.parametrize("seed", range(3))
def test_as_many_labels_as_lines_or_a_sentence(plain: Run, tmp_path: Path, seed: int) -> None:
    database = store(tmp_path, cases=40)
    chance = random.Random(seed)
    lines = [chance.choices("tf", weights=[6, 1])[0] for _ in range(160)]
    result = plain("\n".join(lines))
    values = [value[0].lower() for kind, value in said(database) if kind == "label" and value]
    assert values == lines[: len(values)]
    assert (result.code, len(values)) == (0, 160) or (
        result.code == 2 and f"line {len(values) + 1} " in result.err
    )
    assert all(not event.supersedes for event in Ledger(database).events("pilot"))


@pytest.mark.parametrize("who", ["plain", "typed"])
def test_the_end_is_the_end(request: pytest.FixtureRequest, tmp_path: Path, who: str) -> None:
    call: Run = request.getfixturevalue(who)
    database = store(tmp_path)
    between = "\n" if who == "typed" else ""  # goes on from the card of the next question
    result = call(between.join(["t\n" * 3] * 4) + "f\nx\n")
    assert said(database) == [("label", "True")] * 12
    assert "everything is answered, and nothing more is taken" in result.err + result.out
    assert result.code == (2 if who == "plain" else 0)
    again = call("f\n")
    assert said(database) == [("label", "True")] * 12
    assert again.code == result.code
    assert call("b\nagain f\n").code == 0
    assert [value for kind, value in said(database)[12:] if kind == "label"] == ["False"]


def test_input_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    store(tmp_path).close()
    command = [*quick_start(), "-m", "reviewer", "review", "pilot", "--rater", "anna", "--plain"]
    command += ["--store", str(tmp_path / "reviewer.db")]
    for given in (b"t\n\xff\xfe\n", None):
        shell = command if given else ["sh", "-c", '"$@" <&-', "sh", *command]
        done = subprocess.run(
            shell, input=given, capture_output=True, check=False, env=os.environ | {"LANG": "C.UTF-8"}
        )
        assert (done.returncode, done.stderr.count(b"\n")) == (2, 1), done.stderr
        assert done.stderr.startswith(b"Error: ")


def test_progress_counts_an_answer_that_awaits_its_second_look(plain: Run, run: Run, tmp_path: Path) -> None:
    store(tmp_path, asking="case", reveal="findings", cases=1)
    plain("t\n")
    said_so = run("progress", "pilot", "--format", "csv")
    assert said_so.out.splitlines() == [
        "rater,labelled,awaiting second look,skipped,of,share",
        "anna,1,1,0,4,0.0",
    ]
    assert "1 answer awaits its second look: it is saved" in said_so.err
    plain("keep\n")
    done = run("progress", "pilot", "--format", "csv")
    assert done.out.splitlines()[1] == "anna,1,0,0,4,0.25"
    assert "second look" not in done.err


def test_progress_of_a_study_with_repeats_counts_both_showings(plain: Run, run: Run, tmp_path: Path) -> None:
    store(tmp_path, repeats=0.5, cases=2)
    plain("t\n")
    assert run("progress", "pilot", "--format", "csv").out.splitlines() == [
        "rater,labelled,skipped,of,share",
        "anna,1,0,12,0.08333333333333333",
    ]


def test_a_new_study_says_that_the_second_showing_is_what_is_not_counted(run: Run, tmp_path: Path) -> None:
    database = Database.open(str(tmp_path / "reviewer.db"))
    fill(database, "data", [a_case(number) for number in range(4)])
    told = run("study", "new", "twice", "--dataset", "data", "--repeats", "0.25").err
    assert "The verdicts include the second showing of 1 case, which" in told
    helped = " ".join(run("study", "new", "--help").out.split())
    assert "What raters see after an answer. If they return and ask, the answer is then final" in helped


def test_own_answers_are_found_by_their_words(plain: Run, tmp_path: Path) -> None:
    store(tmp_path)
    out = plain("find\nt\nf\nc a Doubt\nfind same false\nfind\nfind doubt\n").out
    assert "0 answers of yours." in out
    first, second, third = (part.splitlines() for part in out.split("of yours")[2:])
    assert first[0] == " with these words."
    assert first[1].startswith("same task = False (case 2): ")
    assert [line.partition(" (")[0] for line in second[1:3]] == ["same task = False", "same task = True"]
    assert third[1].startswith("Everything is saved"), "a comment on a case without an answer is no answer"


def test_a_line_reads_in_words_how_logic_decides(typed: Run, tmp_path: Path) -> None:
    database = store(tmp_path, asking="case", reveal="findings")
    audited(database)
    heard = typed("\nwords\nt\nkeep\nt\nwords\n").out
    before, after = heard.split("Saved: bias presence")
    assert "How logic decides is not shown here, or not yet." in before
    assert "Option A, because it counts as “tested”." in after


def test_lines_break_between_words_in_a_terminal(tmp_path: Path) -> None:
    database = store(tmp_path)
    arguments = [
        "-m",
        "reviewer",
        "--store",
        database.location,
        "review",
        "pilot",
        "--rater",
        "anna",
        "--plain",
    ]
    with Terminal(arguments, 40, 200) as terminal:
        terminal.wait_for("Answer: ")
        lines = [line.rstrip() for line in terminal.text.splitlines()]
    printed = " ".join(" ".join(lines).split())
    assert "Who sees what: Raters judge alone: a rater sees the answers of others only after" in printed
