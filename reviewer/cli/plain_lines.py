"""What one line of plain mode says: the case and question that it names, if any, and a command."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.study.design.study_bundle import StudyBundle


@dataclass(frozen=True, slots=True)
class PlainLine:
    """A command, and the case (by digest) and question (by key) that the line names, if it does."""

    command: str
    about: tuple[str, str] | None = None


class LineReader:
    """Splits lines of one study into a name and a command."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle

    def read(self, line: str) -> PlainLine:
        """Split a line; raises RequestError where it names no case or question of the study, or two cases."""
        line = " ".join(line.split(" ")).strip()
        name = max((name for name in self._cases if line.startswith(f"{name} ")), key=len, default=None)
        if name is None:
            self._check_no_stranger(line)
            return PlainLine(line)
        question, _, command = line.removeprefix(name).strip().partition(" ")
        if question not in self._questions:
            raise RequestError(
                f"after {one_line(name)!r} stands {one_line(question, 40)!r}, which is none of the questions "
                f"({', '.join(self._questions)})"
            )
        return PlainLine(command.strip(), (self._only_case(name), question))

    def _only_case(self, name: str) -> str:
        cases = self._cases[name]
        if len(cases) > 1:
            raise RequestError(f"{one_line(name)!r} names {len(cases)} cases; write DATASET: before it")
        return cases[0]

    def _check_no_stranger(self, line: str) -> None:
        """A line that names one of the questions behind something else meant to name a case too."""
        words = line.split()
        place = next((at for at, word in enumerate(words) if at and word in self._questions), None)
        if place is not None and words[0] not in ("c", "w", "write", "again"):
            name = one_line(" ".join(words[:place]), 60)
            raise RequestError(f"{name!r} is not a case of this study")

    @cached_property
    def _questions(self) -> Sequence[str]:
        return [question.key for question in self._bundle.questions]

    @cached_property
    def _cases(self) -> Mapping[str, Sequence[str]]:
        """The cases by each of their names: KEY and DATASET:KEY."""
        named: dict[str, list[str]] = {}
        for place in self._bundle.sample:
            for name in (place.key, f"{place.dataset}:{place.key}"):
                named.setdefault(name, []).append(place.case)
        return named


def line_numbers(lines: Sequence[int]) -> str:
    """Numbers of lines as they stand in a sentence."""
    return f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(map(str, lines))}"


def numbered_lines(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines, counted from 1; raises RequestError where they cannot be read."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            yield number, line.removeprefix("\ufeff") if number == 1 else line
    except UnicodeDecodeError as error:
        raise RequestError(
            f"line {number + 1} or one close behind it is not UTF-8 text; it was not taken."
        ) from error
    except OSError as error:
        raise RequestError(
            f"standard input cannot be read ({error.strerror}); nothing more was taken."
        ) from error
