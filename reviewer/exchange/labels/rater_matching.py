"""Which rater of a study a name of another tool is, or that it is a new one."""

from collections.abc import Iterator, Sequence

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name, likeness, lookalike_form
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.answer_matching import Renaming
from reviewer.exchange.labels.foreign_label import ForeignLabel
from reviewer.study.design.study_bundle import StudyBundle


class RaterMatching:
    """The raters of a study, and those of a file that join it.

    ``rater`` is for labels that name none. ``prefix`` is what the tool put before all names; it is cut unless
    one of the whole names is known here.
    """

    def __init__(self, bundle: StudyBundle, renaming: Renaming, rater: str | None, *, add: bool) -> None:
        self._bundle, self._renaming, self._rater, self._add = bundle, renaming, rater, add
        self.known = {person.rater for person in bundle.raters}
        self._adjudicators = {person.rater for person in bundle.adjudicators}
        self._alike = {lookalike_form(name): name for name in (*self.known, *self._adjudicators)}
        self._prefix = ""
        self._matched: dict[str, str | tuple[str, str]] = {}

    def cut(self, prefix: str, names: Sequence[str]) -> None:
        """Cut what a tool put before all names, unless one of the whole names is known."""
        if not any(name in self.known or name in self._renaming for name in names):
            self._prefix = prefix

    def rater_of(self, label: ForeignLabel) -> str:
        """Our name of the rater; raises InputError."""
        said = label.rater if label.rater is not None else self._rater
        if said is None:
            raise InputError(label.where, "names no rater", "name the rater of the file with --rater")
        if said not in self._matched:
            try:
                self._matched[said] = self._match(said)
            except InputError as error:
                self._matched[said] = (error.wrong, error.remedy)
        matched = self._matched[said]
        if isinstance(matched, tuple):
            raise InputError(label.where, *matched)
        return matched

    def notices(self) -> Iterator[str]:
        """How names were read."""
        if self._prefix and self._matched:
            yield f"{shown(self._prefix)!r}, the name of the data set, was cut from the names of all raters"
        same: dict[str, list[str]] = {}
        for said, ours in self._matched.items():
            if isinstance(ours, str):
                same.setdefault(ours, []).append(shown(said))
        for ours, names in same.items():
            if len(names) > 1:
                yield f"{' and '.join(names)} of the file are both rater {ours}"

    def _match(self, said: str) -> str:
        name = self._renaming.ours(said.removeprefix(self._prefix), self._may_be)
        if name in self.known:
            return name
        if name in self._adjudicators:
            raise InputError("", f"{shown(name)!r} adjudicates in this study", "correct it, or leave it out")
        alike = self._alike.get(lookalike_form(name))
        if alike is not None and alike != name and said not in self._renaming:
            raise self._looks_alike(said, name, alike)
        if not self._add or self._bundle.design.raters_declared:
            raise self._stranger(name)
        try:
            self._alike.setdefault(lookalike_form(name), checked_name("rater", name))
        except RequestError as error:
            raise InputError("", str(error).rstrip("."), "give --rename") from None
        return name

    def _may_be(self, name: str) -> bool:
        """Whether a renaming is of a rater: questions and labels are renamed in the same way."""
        return name in self.known or not self._renaming.is_of_answers(name)

    def _looks_alike(self, said: str, name: str, alike: str) -> InputError:
        wrong = f"rater {shown(name)!r} looks like {shown(alike)!r} ({likeness(name, alike)})"
        remedy = f"give --rename {shown(said)}={shown(alike)} if they are one person"
        if self._add:
            remedy += f", or --rename {shown(said)}={shown(name)} if they are two"
        return InputError("", wrong, remedy)

    def _stranger(self, name: str) -> InputError:
        """Nobody can be added to a study whose raters were named when it was made."""
        declared = self._bundle.design.raters_declared
        wrong = f"rater {shown(name)!r} is not in study {self._bundle.study.name!r}"
        wrong += ", whose raters were named when it was made" if declared else ""
        remedy = (
            f"give --rename {shown(name)}=NAME for the name that the rater has here "
            f"({', '.join(sorted(self.known)) or 'nobody so far'}), or "
        )
        remedy += "make a study without --rater, which anybody may join" if declared else "give --add-raters"
        return InputError("", wrong, remedy)
