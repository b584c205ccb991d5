"""Compares a study with its signed counts: everything that a count covers must still be there, unchanged."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import counted
from reviewer.study.design.closing import last_closing
from reviewer.study.design.study_design import RESCUED
from reviewer.study.integrity.count_signing import counted_parts, is_genuine, record_digests
from reviewer.study.integrity.revision_checks import Histories, places_at
from reviewer.study.transfer.pack_manifest import seals_design
from store.records import JsonValue, Measurement, SignedCount, StudyAct, digest_of
from store.row_records import portions
from store.signed_counts import CountedEvents, Holding, published_here
from store.study_rows import StudyRows

_NAMED = 5
_PARTS = {
    "questions": "the questions",
    "design": "the design",
    "sample": "the sample",
    "roles": "the roles of its cases",
    "known answers": "the known answers",
}
_BY_DATASET = {
    "published": "the published values of dataset {}",
    "records": "the records of dataset {} at the sample's places",
}


@dataclass(frozen=True)
class StudyCounts:
    """A study compared with its signed counts: its digest now, the faults, and the genuine counts."""

    study: str
    digest: str
    events: int
    listed: int
    """The number of events that genuine counts list."""
    newer: int
    """The number of events that no count lists."""
    genuine: tuple[SignedCount, ...]
    faults: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    broken: frozenset[str] = frozenset()
    """Digests of counts that cover something that was deleted or changed."""
    in_pack: bool = False
    """Packs hold no counts; the lead's store does."""
    is_rescued: bool = False
    """Rescued files lack the study's secret, so nothing is signed in them."""

    @property
    def sentence(self) -> str:
        """One line on how many events signed counts cover, and since when."""
        held = f"{counted(self.events, 'event')} in study {self.study!r}"
        if self.in_pack:
            return f"{held}: this is a pack; the signed counts are in its lead's store."
        if not self.genuine:
            return f"{held}: no event is covered by a signed count. {self._why_uncovered}"
        last = self.genuine[-1]
        words = (
            f"{held}: {self.listed:,} covered by signed counts, the last on {last.at[:10]} ({last.occasion})"
        )
        return words + (f"; {self.newer:,} came later, not signed yet." if self.newer else ".")

    @property
    def _why_uncovered(self) -> str:
        if self.is_rescued:
            return "This file lacks the study's secret, as rescued files do. Its original store signs counts."
        return "Counts were signed when the study was created, so they or its secret were deleted or altered."


@dataclass(frozen=True, slots=True)
class DatasetChanges:
    """What may have changed the places of datasets: when each was last imported, and the revisions."""

    imported: Mapping[str, str]
    histories: Histories


Find = Callable[[Sequence[str]], Mapping[str, tuple[str, str]]]
"""Looks ids of events up: id → rater and digest, of those that the study holds."""


@dataclass(frozen=True, slots=True)
class HeldEvents:
    """The events of a study without holding them: those of each rater counted, and how ids are looked up."""

    counted: Mapping[str, CountedEvents]
    find: Find


def study_counts(
    study_rows: StudyRows, events: HeldEvents, measurements: Iterable[Measurement], changes: DatasetChanges
) -> StudyCounts:
    """Compare a study with its counts, given its measurements and the changes that people may make."""
    holding = Holding(
        study_rows.study,
        study_rows.sample,
        study_rows.raters,
        study_rows.acts,
        study_rows.known_answers,
        published_here(study_rows.sample, measurements),
        study_rows.places,
        study_rows.aside,
        events.counted,
    )
    return _Comparison(study_rows, counted_parts(holding), events, changes).result()


class _Comparison:
    """The comparison of one study. Each fault is reported once, by the oldest count that covers it."""

    def __init__(
        self,
        study_rows: StudyRows,
        now: Mapping[str, JsonValue],
        events: HeldEvents,
        changes: DatasetChanges,
    ) -> None:
        self._study_rows, self._events, self._now = study_rows, events, now
        self._imported, self._histories = changes.imported, changes.histories
        self._gone: set[str] = set()
        self._faults: dict[str, str] = {}
        self._remarks: dict[str, str] = {}
        self._reported: set[str] = set()
        self._listed: dict[str, set[str]] = {}
        self._broken: set[str] = set()

    def result(self) -> StudyCounts:
        """The study's counts with all faults and remarks."""
        genuine = tuple(self._genuine())
        known = {count.id for count in genuine}
        for count in genuine:
            if count.content["previous"] not in (None, *known):
                self._fault(count, f"the count before that of {_when(count)}", "is gone or altered")
            self._compare_parts(count)
            self._compare_events(count)
        self._compare_closings()
        for where, wrong in _missing_counts(self._study_rows, genuine):
            self._faults.setdefault(where, wrong)
        listed = set().union(*self._listed.values())
        held = sum(int(rater["count"]) for rater in self._events.counted.values())
        return StudyCounts(
            self._study_rows.study.name,
            digest_of(self._now),
            held,
            len(listed),
            held - len(listed - self._gone),
            genuine,
            tuple(self._faults.items()),
            tuple(self._remarks.values()),
            frozenset(self._broken),
            _in_a_pack(self._study_rows),
            _is_rescued(self._study_rows),
        )

    def _genuine(self) -> Iterator[SignedCount]:
        secret = self._study_rows.secret
        for count in sorted(self._study_rows.signed, key=lambda count: count.id):
            where = f"the signed count of {_when(count)}"
            if secret is None:
                self._faults[where] = "cannot be verified: the study's secret is gone"
            elif not is_genuine(count, secret):
                self._faults[where] = "was altered, or the study's secret was altered"
            else:
                yield count

    def _fault(self, count: SignedCount, where: str, wrong: str) -> None:
        self._faults.setdefault(where, wrong)
        self._broken.add(count.digest)

    def _compare_parts(self, count: SignedCount) -> None:
        was, now, when = count.content["parts"], self._now, _when(count)
        if was["seed"] != now["seed"]:
            self._fault(
                count, "the seed", f"was {was['seed']} when signed on {when}, and is now {now['seed']}"
            )
        for part, where in _PARTS.items():
            if was[part] != now[part]:
                self._fault(count, where, f"changed after it was signed on {when}")
        for rater, about in was["people"].items():
            if rater not in now["people"]:
                self._fault(count, f"rater {rater!r}", f"is gone: they were in the study on {when}")
            elif now["people"][rater] != about:
                self._fault(count, f"rater {rater!r}", f"has a different role or order than signed on {when}")
        self._compare_rows(count, "acts", "act {} (of the lead)")
        self._compare_rows(count, "kept aside", "event {} (kept aside)")
        for part, words in _BY_DATASET.items():
            self._compare_by_dataset(count, part, words)

    def _compare_rows(self, count: SignedCount, part: str, words: str) -> None:
        """Compare rows that are never changed or deleted."""
        now = self._now[part]
        for key, digest in count.content["parts"][part].items():
            if now.get(key) != digest:
                verb = "was changed" if key in now else "is gone"
                self._fault(count, words.format(key), f"{verb}: it was signed on {_when(count)}")

    def _compare_by_dataset(self, count: SignedCount, part: str, words: str) -> None:
        """Compare what a new import of the dataset may also change."""
        for dataset, digest in count.content["parts"][part].items():
            if self._now[part].get(dataset) == digest:
                continue
            where = words.format(repr(dataset))
            if part == "records" and self._is_revised(dataset, digest, count.at):
                self._remarks[where] = (
                    f"Study {self._study_rows.study.name!r}: {where} were revised after the count of "
                    f"{_when(count)}. Without the revisions, they are as they were signed."
                )
            elif self._imported.get(dataset, "") > count.at:
                self._remarks[where] = (
                    f"Study {self._study_rows.study.name!r}: {where} changed after the count of "
                    f"{_when(count)}. The dataset was imported again on {self._imported[dataset][:10]}, "
                    "which may be the reason."
                )
            else:
                self._fault(count, where, f"changed after being signed on {_when(count)}")

    def _is_revised(self, dataset: str, digest: str, at: str) -> bool:
        """Whether the places hold what was signed, but for revisions: later ones, or also merged ones."""
        places = self._study_rows.places
        return any(
            record_digests(places_at(places, self._histories, moment)).get(dataset) == digest
            for moment in (at, "")
        )

    def _compare_events(self, count: SignedCount) -> None:
        for rater, listed in count.content["listed"].items():
            self._listed.setdefault(rater, set()).update(key for key, _digest in listed)
            gone, changed = self._differing(rater, listed)
            if gone:
                self._gone.update(gone)
                self._fault(
                    count, *_gone(gone, rater, len(listed), f"they were counted and signed on {_when(count)}")
                )
            for key, whose in changed:
                self._name_changed(count, rater, key, whose)
        self._reported.update(key for some in count.content["listed"].values() for key, _digest in some)
        if self._broken and self._covers_broken(count):
            self._broken.add(count.digest)

    def _differing(
        self, rater: str, listed: Sequence[tuple[str, str]]
    ) -> tuple[list[str], list[tuple[str, str]]]:
        """Ids of listed events that are gone; and of altered ones or another rater's, with whose they are."""
        gone: list[str] = []
        changed: list[tuple[str, str]] = []
        for some in portions(listed):
            held = self._events.find([key for key, _digest in some])
            gone += [key for key, _digest in some if key not in held]
            changed += [
                (key, held[key][0]) for key, digest in some if key in held and held[key] != (rater, digest)
            ]
        return gone, changed

    def _name_changed(self, count: SignedCount, rater: str, key: str, whose: str) -> None:
        if whose != rater:
            wrong = f"is now of {whose!r}, but was of {rater!r} when signed on {_when(count)}"
            self._fault(count, f"event {key}", wrong)
        else:
            wrong = f"is not the event that was counted and signed on {_when(count)}"
            self._fault(count, f"event {key} of {rater}", wrong)

    def _covers_broken(self, count: SignedCount) -> bool:
        """Whether the count before it is broken: a later count covers what the earlier ones cover."""
        by_id = {signed.id: signed for signed in self._study_rows.signed}
        previous = by_id.get(count.content["previous"] or "")
        return previous is not None and previous.digest in self._broken

    def _compare_closings(self) -> None:
        """Check that the events of each closing are there, and that the study's state matches the acts."""
        for act in self._study_rows.acts:
            unsure = [key for key in act.held if key not in self._reported]
            gone = [
                key
                for some in portions(unsure)
                for held in (self._events.find(some),)
                for key in some
                if key not in held
            ]
            if gone:
                when = f"the ledger held them when the study was closed on {act.at[:10]}"
                where, wrong = _gone(gone, "", len(act.held), when)
                self._faults.setdefault(where, wrong)
        if _contradicts(self._study_rows.study.closed_at, self._study_rows.acts):
            self._faults["the study's state (open or closed)"] = "contradicts the acts of its lead"


def _gone(ids: Sequence[str], rater: str, among: int, when: str) -> tuple[str, str]:
    named = ", ".join(ids[:_NAMED]) + (" …" if len(ids) > _NAMED else "")
    whose = f" of {rater}" if rater else ""
    verb = "is" if len(ids) == 1 else "are"
    return f"{counted(len(ids), 'event')}{whose}", f"{verb} gone ({named}): {when}, {among:,} in all"


def _contradicts(closed_at: str | None, acts: Sequence[StudyAct]) -> bool:
    closing = last_closing(sorted(acts, key=lambda act: act.id))
    return (closing and closing.at) != closed_at


def _when(count: SignedCount) -> str:
    return f"{count.at[:10]} ({count.occasion})"


def _in_a_pack(study_rows: StudyRows) -> bool:
    """Whether the rows come from a pack: sealed for its only rater, without the study's secret."""
    raters, seal = [person.rater for person in study_rows.raters], study_rows.seal
    is_sealed = seal is not None and raters == [seal.rater] and seals_design(study_rows.study, seal)
    return is_sealed and study_rows.secret is None


def _is_rescued(study_rows: StudyRows) -> bool:
    """Whether the rows come from a rescued file: the work of one person, without the study's secret."""
    is_of_one = len(study_rows.raters) == 1 and not study_rows.acts
    return is_of_one and study_rows.secret is None and study_rows.study.design.get(RESCUED) is True


def _missing_counts(study_rows: StudyRows, genuine: Sequence[SignedCount]) -> Iterator[tuple[str, str]]:
    """The counts that are missing, and the secret, although a study or act that needed them is there."""
    if study_rows.seal is not None and not _in_a_pack(study_rows):
        yield "the seal of a pack", "is in a store that is not a pack"
    if _in_a_pack(study_rows) or _is_rescued(study_rows):
        return
    if study_rows.secret is None:
        yield "the study's secret", "is gone, so that nothing can be signed: it was deleted"
    if not any(count.occasion == "new" for count in study_rows.signed):
        yield (
            "the first signed count",
            "is gone, although creating the study signed one: counts were deleted",
        )
    signed = {act for count in genuine for act in count.content["parts"]["acts"]}
    for act in study_rows.acts if genuine else ():
        if act.kind == "close" and act.id not in signed:
            yield (
                f"act {act.id}, a closing,",
                "is in no signed count, although closing signs one: that count is gone",
            )
