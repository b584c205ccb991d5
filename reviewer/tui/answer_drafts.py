"""Answers in free text that were typed and not saved: private files, which survive the end of the app."""

from pathlib import Path

from reviewer.core.sanitize import is_blank
from reviewer.core.whole_files import write_private
from reviewer.runs.repair.repair_session import drafts_folder
from reviewer.study.session.verdicts import Slot
from store.database import Database
from store.location import file_of
from store.records import digest_of

_MOST_BYTES = 1_000_000


class AnswerDrafts:
    """The drafts of one person in one study, a file for each slot.

    Where the folder cannot be used, drafts last as long as the app runs.
    """

    def __init__(self, database: Database, study: str, person: str) -> None:
        file = file_of(database.opened_with)
        self._of = [database.location if file is None else str(file.resolve()), study, person]
        self._texts: dict[Slot, str] = {}

    def text(self, slot: Slot) -> str:
        """The draft at a slot; "" if there is none."""
        if slot not in self._texts:
            self._texts[slot] = self._read(slot)
        return self._texts[slot]

    def keep(self, slot: Slot, text: str) -> None:
        """Keep a draft; a blank one is removed."""
        text = "" if is_blank(text) else text
        if text == self.text(slot):
            return
        self._texts[slot] = text
        try:
            if text:
                self._file(slot).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_private(self._file(slot), text.encode(errors="replace"))
            else:
                self._file(slot).unlink(missing_ok=True)
        except OSError:
            pass  # it is kept in memory, and the answer itself is saved in the store

    def _read(self, slot: Slot) -> str:
        try:
            with self._file(slot).open("rb") as opened:
                return opened.read(_MOST_BYTES).decode()
        except (OSError, UnicodeDecodeError):
            return ""

    def _file(self, slot: Slot) -> Path:
        place = [*self._of, slot.case, slot.question, slot.showing, slot.phase]
        return drafts_folder() / "answers" / f"{digest_of(place)}.txt"
