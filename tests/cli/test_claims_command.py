"""The command that computes a paper's numbers again."""

import csv
import io
import re
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from reviewer.exchange.claims.claims_file import MOST_DIGITS
from reviewer.report.report_pages import CLAIMS_FILE
from reviewer.study.session.review_session import ReviewSession
from tests.cli.conftest import Run
from tests.judged import judged_study
from tests.shared_data import shared_file
from tests.studies import a_study, open_store

JUDGES = Path(__file__).parents[1] / "exchange" / "data" / "judge_claims.toml"
RUNS = ("o1-mini", "grm-gemma-2b", "skywork-llama-8b", "internlm2-7b")
PRINTED = re.compile(r'printed = "(.*)"')
PLANTED = 20
STORE = ("reviewer.db", "reviewer.db-shm", "reviewer.db-wal")


def results(run: Run, file: Path) -> list[str]:
    """The result of each claim of a file, in its order."""
    shown = run("claims", "check", file, "--format", "csv")
    return [row["result"] for row in csv.DictReader(io.StringIO(shown.out))]


def with_other_digit(printed: str) -> str:
    """The number with another last digit of those that are compared, which may be the only one."""
    digits = [place for place, sign in enumerate(printed) if sign.isdigit()]
    place = digits[:MOST_DIGITS][-1]
    return f"{printed[:place]}{(int(printed[place]) + 1) % 10}{printed[place + 1 :]}"


def check_planted(run: Run, file: Path, text: str) -> None:
    """Of a file's claims, twenty get a wrong digit; these are found, and no others."""
    found = [*PRINTED.finditer(text)]
    wrong = {*range(0, len(found), max(1, len(found) // PLANTED))}
    for number in sorted(wrong, reverse=True):
        start, end = found[number].span(1)
        text = f"{text[:start]}{with_other_digit(text[start:end])}{text[end:]}"
    file.write_text(text, encoding="utf-8")
    assert len(wrong) >= PLANTED
    assert {number for number, result in enumerate(results(run, file)) if result == "differs"} == wrong


def test_a_report_writes_claims_that_are_reproduced(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=3)
    options = ("--by", "question,generator", "--interval", "analytic")
    assert run("report", "pilot", "-o", "paper", "--no-figures", *options).code == 0
    file = tmp_path / "paper" / CLAIMS_FILE
    done = run("claims", "check", file)
    assert (done.code, set(results(run, file))) == (0, {"reproduced"})
    text = file.read_text(encoding="utf-8")
    assert done.err == f"{len(PRINTED.findall(text))} numbers: {len(PRINTED.findall(text))} reproduced.\n"
    page = (tmp_path / "paper" / "report.md").read_text(encoding="utf-8")
    assert all(printed in page for printed in PRINTED.findall(text))
    check_planted(run, file, text)


def test_a_wrong_number_ends_with_exit_code_2(run: Run, tmp_path: Path) -> None:
    judged_study(open_store(tmp_path), per_generator=1)
    row = 'row = { question = "same task", kind = "pooled" }'
    (tmp_path / "claims.toml").write_text(
        '[[claim]]\nwhere = "Table 1"\nprinted = "0.123"\ncolumn = "po_all_agree"\n'
        f'command = "reviewer agreement pilot --by question,generator"\n{row}\n'
    )
    shown = run("claims", "check", "claims.toml")
    assert (shown.code, shown.err) == (2, "Error: not every number holds: 1 number: 1 differs.\n")
    assert re.search(r"Table 1 +0\.123 +\d\.\d{3} +differs", shown.out)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("store check", "only these commands give numbers: agreement, effects,"),
        ("datasets withdraw seeds", "only these commands give numbers: agreement, effects,"),
        ("", "no command gives it"),
        ("agreement 'pilot", "the command cannot be split into words (No closing quotation)"),
        ("effects first --as probe-swe -o out", "the options -o, --output, --as write files; leave them out"),
        ("effects first -oout", "the options -o, --output, --as write files; leave them out"),
        ("effects first --as=probe-swe", "the options -o, --output, --as write files; leave them out"),
        ("agreement nobody", "study 'nobody' is not in the store"),
        ("agreement pilot --bye question", "No such option '--bye'"),
    ],
)
def test_only_commands_that_show_results_are_carried_out(
    run: Run, tmp_path: Path, command: str, why: str
) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=1)
    text = f'[[claim]]\nwhere = "Table 1"\nprinted = "1"\ncommand = "{command}"\n'
    (tmp_path / "claims.toml").write_text(text)
    shown = run("claims", "check", "claims.toml", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(shown.out))
    assert (shown.code, row["result"]) == (0, "cannot be recomputed")
    assert row["detail"].startswith(why)
    assert not {path.name for path in tmp_path.iterdir()} - {"claims.toml", *STORE}


def test_numbers_stay_hidden_from_a_rater_who_has_cases(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_store(tmp_path)) as database:
        a_study(database, cases=2)
        ReviewSession(database, "pilot", "anna").answer("True")
    monkeypatch.setattr("getpass.getuser", lambda: "anna")
    text = '[[claim]]\nwhere = "Table 1"\nprinted = "1"\ncommand = "agreement pilot"\ncolumn = "items"\n'
    (tmp_path / "claims.toml").write_text(text)
    alone = run("agreement", "pilot")
    shown = run("claims", "check", "claims.toml", "--format", "csv")
    (row,) = csv.DictReader(io.StringIO(shown.out))
    assert (alone.code, row["result"], row["value"]) == (2, "cannot be recomputed", "")
    assert alone.err.startswith(f"Error: {row['detail'][:60]}")


@pytest.mark.slow
def test_the_judges_of_published_pairs_are_reproduced(run: Run, tmp_path: Path) -> None:
    pairs = shared_file("biasscope/pairs-gpt4o.jsonl")
    assert run("import", pairs, "--dataset", "pairs", "--protocol", "judge-pairs").code == 0
    for name in RUNS:
        judged = shared_file(f"biasscope/judge-{name}.jsonl")
        assert (
            run("outcomes", "import", "judges", judged, "--as", "judge-bench", "--dataset", "pairs").code == 0
        )
    shown = run("claims", "check", JUDGES, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert (shown.code, shown.err) == (0, "36 numbers: 36 reproduced.\n")
    assert [row["printed"] for row in rows] == [row["recomputed"] for row in rows]
    text = JUDGES.read_text(encoding="utf-8")
    wrong = tmp_path / "wrong.toml"
    check_planted(run, wrong, text)
    wrong.write_text(text.replace('"65.71%"', '"65.73%"'), encoding="utf-8")
    told = run("claims", "check", wrong)
    assert (told.code, "no whole number of 350 gives this share" in told.out) == (2, True)
    assert Counter(results(run, wrong)) == {"reproduced": 35, "differs": 1}
    assert (
        run("report", "--evaluation", "judges", "-o", "paper", "--no-figures", "--resamples", 100).code == 0
    )
    of_report = results(run, tmp_path / "paper" / CLAIMS_FILE)
    assert (len(of_report), set(of_report)) == (120, {"reproduced"})
