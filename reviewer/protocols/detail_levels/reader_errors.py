"""How often the reader is right on answers whose choice is known, by the kind of answer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import ValidationError

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.core.strict_json import parse
from reviewer.protocols.detail_levels.answered_level import AnsweredLevel
from reviewer.protocols.detail_levels.answers_protocol import CHOICE_TAKEN, KIND, KNOWN, NO_CHOICE
from reviewer.protocols.reading.answer_reader import chosen_in
from reviewer.protocols.reading.choices import Choices

RIGHT, OTHER_CHOICE, OVERLOOKED, INVENTED = "right", "another choice", "not read", "read without a choice"
RESULTS: Final = (RIGHT, OTHER_CHOICE, OVERLOOKED, INVENTED)


@dataclass(frozen=True, slots=True)
class KnownReading:
    """An answer with its known choice, and what the reader makes of it; "none" without a choice."""

    key: str
    kind: str
    answer: str
    known: str
    read: str
    remark: str

    @property
    def result(self) -> str:
        """One of ``RESULTS``."""
        if self.read == self.known:
            return RIGHT
        if self.read == NO_CHOICE:
            return OVERLOOKED
        return INVENTED if self.known == NO_CHOICE else OTHER_CHOICE


def known_readings(text: str, where: str) -> Iterator[KnownReading]:
    """Reads the answers of a file of cases with known choices; raises InputError."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _known_reading(parse(line, f"{where}, line {number}"), f"{where}, line {number}")


def _known_reading(content: Any, where: str) -> KnownReading:
    published = content.get("published") if isinstance(content, dict) else None
    if not isinstance(published, Mapping) or published.get(KNOWN) not in CHOICE_TAKEN.labels:
        raise InputError(where, f"has no published {KNOWN}", f"give one of {', '.join(CHOICE_TAKEN.labels)}")
    try:
        answered = AnsweredLevel.model_validate(content.get("payload"))
    except ValidationError as error:
        first = error.errors()[0]
        wrong = f"has a payload that does not fit ({' '.join(map(str, first['loc']))}: {shown(first['msg'])})"
        raise InputError(where, wrong, "give text, choices and answer") from None
    read = chosen_in(answered.answer, Choices.lettered(answered.choices))
    kind, key = str(published.get(KIND, "")), str(content.get("key", ""))
    return KnownReading(key, kind, answered.answer, str(published[KNOWN]), read.label or NO_CHOICE, read.why)
