"""Levels of detail: seconds to fill templates and to read free answers, on one core.

1. 5,500 instances at five levels, from 220 templates.
2. 27,500 answers of 1,000 characters with three choices of 30; a part is read, and the rest computed.
"""

import random
import sys
import time
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.table import Table  # noqa: E402
from reviewer.protocols.detail_levels.level_templates import instances_of  # noqa: E402
from reviewer.protocols.detail_levels.levels_protocol import DetailLevels  # noqa: E402
from reviewer.protocols.reading.answer_reader import chosen_in  # noqa: E402
from reviewer.protocols.reading.choices import Choices  # noqa: E402
from reviewer.protocols.templates.slot_template import slot_templates  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402

TEMPLATES, FILLINGS, ANSWERS, READ = 220, 25, 27_500, 2_000


def main() -> None:
    """Print one table."""
    rows = [
        (f"{TEMPLATES * FILLINGS:,} instances at five levels", filled_in(), 3.0),
        (f"{ANSWERS:,} answers of 1,000 characters read", read_in() * ANSWERS / READ, 60.0),
    ]
    print(text_table(Table.of(("what", "seconds", "at most"), rows)))


def filled_in() -> float:
    """Seconds from the text of the templates to all cases."""
    text = (files("seeds") / "detail_levels" / "templates.toml").read_text(encoding="utf-8")
    lists, *templates = text.split("[[templates]]")
    copies = TEMPLATES // len(templates)
    named = (each.replace('name = "', f'name = "{copy} ', 1) for copy in range(copies) for each in templates)
    many = lists + "".join(f"[[templates]]{each}" for each in named)
    start = time.process_time()
    cases = list(instances_of(DetailLevels(), slot_templates(many, "templates", 5), FILLINGS, 0))
    assert len(cases) == TEMPLATES * FILLINGS
    return time.process_time() - start


def read_in() -> float:
    """Seconds for a part of the answers."""
    chance = random.Random(0)
    words = ("the", "a", "choice", "answer", "probably", "think", "travel", "safe", "number", "people")

    def text(length: int) -> str:
        return " ".join(chance.choices(words, k=length))[:length].replace(" ", "-", 1)

    answers, choices = [text(1_000) for _ in range(READ)], [text(30) for _ in range(3)]
    lettered, start = Choices.lettered(choices), time.process_time()
    for answer in answers:
        chosen_in(answer, lettered)
    return time.process_time() - start


if __name__ == "__main__":
    main()
