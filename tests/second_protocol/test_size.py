"""How much a protocol and a procedure have to write."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tiny_protocol"
JUDGE = ("judging.py", "score.txt")


def lines_of(*, judge: bool) -> int:
    files = [path for path in FOLDER.rglob("*") if path.suffix in (".py", ".txt")]
    assert len(files) >= 6
    return sum(len(path.read_text().splitlines()) for path in files if (path.name in JUDGE) == judge)


def test_a_protocol_with_generation_takes_about_150_lines() -> None:
    assert lines_of(judge=False) <= 152


def test_a_judge_that_scores_cases_takes_less_than_120_lines() -> None:
    assert 0 < lines_of(judge=True) < 120
