"""How often the reader of answers reads what a person reads, and how often wrongly, on a corpus of replies.

Run: python -m tests.protocols.reading.measure [FOLDER] [--readings FILE]

FOLDER holds files PART.PROTOCOL.HALF.jsonl; the corpus of the tests by default. FILE is a JSON object with
the labels that another reader gave, by the name of the file, in the order of its lines.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from reviewer.agreement.proportions import wilson
from reviewer.protocols.evaluation import LabelRead
from reviewer.protocols.judge_pairs.evaluation import read_verdict
from reviewer.protocols.probe_swe.evaluation import read_decision
from reviewer.protocols.reading import READER_VERSION
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choices

CORPUS: Final = Path(__file__).parent / "corpus"
POOLED: Final = "all"
READERS: Final[Mapping[str, Callable[[Mapping[str, Any]], LabelRead]]] = {
    "probe-swe": lambda line: read_decision(line["reply"], line.get("words", {})),
    "treatment-tests": lambda line: chosen_in(line["reply"], Choices.numbered(line["choices"])),
    "detail-levels": lambda line: chosen_in(line["reply"], Choices.lettered(line["choices"])),
    "judge-pairs": lambda line: read_verdict(line["reply"]),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply of the corpus: the label that a person reads, and that of the reader; None for no label."""

    part: str
    protocol: str
    half: str
    kind: str
    person: str | None
    label: str | None


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts over replies. A label where a person reads another one, or none, is wrong."""

    replies: int
    by_person: int
    read: int
    labels: int
    wrong: int

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> "Measured":
        """The counts of these readings."""
        labelled = [each for each in readings if each.label is not None]
        return cls(
            len(readings),
            sum(each.person is not None for each in readings),
            sum(each.person is not None for each in labelled),
            len(labelled),
            sum(each.label != each.person for each in labelled),
        )

    def cells(self) -> tuple[object, ...]:
        """n, how many a person reads, the share of these that is read, and of labels those that are wrong."""
        return (
            self.replies,
            self.by_person,
            _share(self.read, self.by_person),
            f"{self.wrong} of {self.labels}",
            _share(self.wrong, self.labels),
        )


def _share(count: int, of: int) -> str:
    if not of:
        return "–"
    interval = wilson(count, of)
    return f"{count / of:.3f} ({interval.low:.3f} to {interval.high:.3f})"


def readings_of(path: Path, given: Mapping[str, Sequence[str | None]] | None = None) -> Iterator[Reading]:
    """The readings of one file; ``given`` are another reader's labels by the name of the file."""
    part, protocol, half, _ = path.name.split(".")
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines()):
        line = json.loads(text)
        label = given[path.name][number] if given else READERS[protocol](line).label
        yield Reading(part, protocol, half, line["kind"], line["read"], label)


def corpus_files(folder: Path = CORPUS) -> list[Path]:
    """The files of a corpus."""
    return sorted(folder.glob("*.jsonl"))


def _rows(readings: Sequence[Reading]) -> Iterator[tuple[object, ...]]:
    """A row for each kind, each protocol, and all protocols together, for each part and half."""
    for part, half in dict.fromkeys((each.part, each.half) for each in readings):
        of_half = [each for each in readings if (each.part, each.half) == (part, half)]
        for protocol in dict.fromkeys(each.protocol for each in of_half):
            own = [each for each in of_half if each.protocol == protocol]
            for kind in dict.fromkeys(each.kind for each in own):
                of_kind = [each for each in own if each.kind == kind]
                yield (part, half, protocol, kind, *Measured.of(of_kind).cells())
            yield (part, half, protocol, POOLED, *Measured.of(own).cells())
        yield (part, half, POOLED, POOLED, *Measured.of(of_half).cells())


def lines_of(readings: Iterable[Reading]) -> Iterator[str]:
    """The table that is printed, in Markdown."""
    yield "| part | half | protocol | kind | n | a person reads | of these read | wrong | of labels wrong |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in _rows(sorted(readings, key=lambda each: (each.part, each.half, each.protocol))):
        yield f"| {' | '.join(map(str, row))} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=CORPUS)
    parser.add_argument("--readings", type=Path)
    options = parser.parse_args()
    given = json.loads(options.readings.read_text(encoding="utf-8")) if options.readings else None
    readings = [each for path in corpus_files(options.folder) for each in readings_of(path, given)]
    print(f"{'labels of ' + options.readings.name if given else f'version {READER_VERSION} of the reader'}\n")
    print("\n".join(lines_of(readings)))


if __name__ == "__main__":
    main()
