"""How much a protocol has to write."""

from pathlib import Path

FOLDER = Path(__file__).parents[1] / "tiny_protocol"


def test_a_whole_protocol_takes_less_than_150_lines() -> None:
    files = [path for path in FOLDER.rglob("*") if path.suffix in (".py", ".txt")]
    assert len(files) >= 4
    assert sum(len(path.read_text().splitlines()) for path in files) < 150
