"""Comparing a study with its signed counts: everything that a count covers is still there, and as it was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.sanitize import counted
from reviewer.study.design.closing import last_closing
from reviewer.study.design.study_design import is_counted
from reviewer.study.integrity.count_signing import counted_parts, digest_over, is_genuine
from store.records import SignedCount, StudyAct
from store.signed_counts import Holding, Ids, published_here
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
    "published": "what is published with the cases of dataset {}",
    "records": "the records of dataset {} at the sample's places",
}


@dataclass(frozen=True)
class StudyCounts:
    """A study beside its signed counts: its digest now, what is wrong, and which counts are genuine."""

    study: str
    digest: str
    events: int
    listed: int
    """How many events any genuine count lists."""
    newer: int
    """How many of the events no count lists."""
    genuine: tuple[SignedCount, ...]
    faults: tuple[tuple[str, str], ...]
    remarks: tuple[str, ...]
    broken: frozenset[str] = frozenset()
    """Digests of counts that cover something that is gone or changed."""
    in_pack: bool = False
    """Packs hold no counts: their lead's store does."""
    is_counted: bool = False
    """The study's making and closings signed counts: that there is none is a fault."""
    has_secret: bool = True
    """Without the study's secret nothing is signed: in files that were rescued."""

    @property
    def sentence(self) -> str:
        """What is covered since when, in one line."""
        held = f"{counted(self.events, 'event')} in study {self.study!r}"
        if self.in_pack:
            return f"{held}: this is a pack, and signed counts are in the store of its lead."
        if not self.genuine:
            return f"{held}: none is covered by a signed count. {self._why_uncovered}"
        first, last = self.genuine[0], self.genuine[-1]
        words = (
            f"{held}: {self.listed:,} covered by signed counts, the last of {last.at[:10]} ({last.occasion})"
        )
        words += f"; {self.newer:,} came later and are not signed yet" if self.newer else ""
        return words + ("." if first.occasion == "new" else f"; not covered before {first.at[:10]}.")

    @property
    def _why_uncovered(self) -> str:
        if self.is_counted:
            return "Counts were signed since the study was made: they were deleted or altered."
        if not self.has_secret:
            return (
                "This file has no secret of the study, as one that was rescued; the store that it came from "
                "signs counts."
            )
        return (
            "A study of an earlier release has none before its first pack, closing or report; a check cannot "
            "tell it from one whose counts were deleted and whose design was altered."
        )


def study_counts(parcel: StudyRows, events: Ids, imported: Mapping[str, str]) -> StudyCounts:
    """Compare; ``imported`` says when each dataset was imported last."""
    holding = Holding(
        parcel.study,
        parcel.sample,
        parcel.raters,
        parcel.acts,
        parcel.known_answers,
        published_here(parcel.sample, parcel.measurements),
        parcel.places,
        parcel.aside,
        events,
    )
    return _Comparison(parcel, holding, imported).result()


class _Comparison:
    """One study at a time; each thing that is wrong is told once, by the oldest count that covers it."""

    def __init__(self, parcel: StudyRows, holding: Holding, imported: Mapping[str, str]) -> None:
        self._parcel, self._holding, self._imported = parcel, holding, imported
        self._now = counted_parts(holding)
        self._whose = {key: rater for rater, some in holding.events.items() for key in some}
        self._faults: dict[str, str] = {}
        self._remarks: dict[str, str] = {}
        self._told: set[str] = set()
        self._listed: dict[str, set[str]] = {}
        self._broken: set[str] = set()

    def result(self) -> StudyCounts:
        """Everything that is wrong."""
        genuine = tuple(self._genuine())
        known = {count.id for count in genuine}
        for count in genuine:
            if count.content["previous"] not in (None, *known):
                self._fault(count, f"the count before that of {_when(count)}", "is gone or altered")
            self._compare_parts(count)
            self._compare_events(count)
        self._compare_closings()
        for where, wrong in _missing_counts(self._parcel, genuine):
            self._faults.setdefault(where, wrong)
        listed = set().union(*self._listed.values())
        return StudyCounts(
            self._parcel.study.name,
            digest_over(self._now),
            len(self._whose),
            len(listed),
            len(self._whose.keys() - listed),
            genuine,
            tuple(self._faults.items()),
            tuple(self._remarks.values()),
            frozenset(self._broken),
            _in_a_pack(self._parcel),
            is_counted(self._parcel.study),
            self._parcel.secret is not None,
        )

    def _genuine(self) -> Iterator[SignedCount]:
        secret = self._parcel.secret
        for count in sorted(self._parcel.signed, key=lambda count: count.id):
            where = f"the signed count of {_when(count)}"
            if secret is None:
                self._faults[where] = "cannot be verified: the study's secret is gone"
            elif not is_genuine(count, secret):
                self._faults[where] = "was altered, or the study's secret was"
            else:
                yield count

    def _fault(self, count: SignedCount, where: str, wrong: str) -> None:
        self._faults.setdefault(where, wrong)
        self._broken.add(count.digest)

    def _compare_parts(self, count: SignedCount) -> None:
        was, now, when = count.content["parts"], self._now, _when(count)
        if was["seed"] != now["seed"]:
            self._fault(
                count, "the seed", f"was {was['seed']} when it was signed on {when}, and is {now['seed']}"
            )
        for part, where in _PARTS.items():
            if was[part] != now[part]:
                self._fault(count, where, f"changed after {when}, when they were signed")
        for rater, about in was["people"].items():
            if rater not in now["people"]:
                self._fault(count, f"rater {rater!r}", f"is gone: they were in the study on {when}")
            elif now["people"][rater] != about:
                self._fault(count, f"rater {rater!r}", f"has another role or order than was signed on {when}")
        self._compare_rows(count, "acts", "act {}, what the lead decided,")
        self._compare_rows(count, "kept aside", "event {}, kept aside,")
        for part, words in _BY_DATASET.items():
            self._compare_by_dataset(count, part, words)

    def _compare_rows(self, count: SignedCount, part: str, words: str) -> None:
        """Rows that never change and never go; earlier counts lack some parts."""
        now = self._now[part]
        for key, digest in count.content["parts"].get(part, {}).items():
            if now.get(key) != digest:
                verb = "was changed" if key in now else "is gone"
                self._fault(count, words.format(key), f"{verb}: it was signed on {_when(count)}")

    def _compare_by_dataset(self, count: SignedCount, part: str, words: str) -> None:
        """What a new import of the dataset may have changed too; earlier counts lack some parts."""
        for dataset, digest in count.content["parts"].get(part, {}).items():
            if self._now[part].get(dataset) == digest:
                continue
            where = words.format(repr(dataset))
            if self._imported.get(dataset, "") > count.at:
                self._remarks[where] = (
                    f"Study {self._parcel.study.name!r}: {where} changed after {_when(count)}, when it was "
                    f"signed. The dataset was imported again on {self._imported[dataset][:10]}, "
                    "which can be the reason."
                )
            else:
                self._fault(count, where, f"changed after {_when(count)}, when it was signed")

    def _compare_events(self, count: SignedCount) -> None:
        for rater, listed in count.content["listed"].items():
            self._listed.setdefault(rater, set()).update(key for key, _digest in listed)
            gone = [key for key, _digest in listed if key not in self._whose]
            if gone:
                self._fault(
                    count, *_gone(gone, rater, len(listed), f"they were counted and signed on {_when(count)}")
                )
            for key, digest in listed:
                self._compare_event(count, rater, key, digest)
        self._told.update(key for some in count.content["listed"].values() for key, _digest in some)
        if self._broken and self._covers_broken(count):
            self._broken.add(count.digest)

    def _compare_event(self, count: SignedCount, rater: str, key: str, digest: str) -> None:
        whose = self._whose.get(key, rater)
        if whose != rater:
            wrong = f"stands under {whose!r}, but was of {rater!r} when it was signed on {_when(count)}"
            self._fault(count, f"event {key}", wrong)
        elif self._holding.events.get(rater, {}).get(key, digest) != digest:
            wrong = f"is not the one that was counted and signed on {_when(count)}"
            self._fault(count, f"event {key} of {rater}", wrong)

    def _covers_broken(self, count: SignedCount) -> bool:
        """A later count covers all that the earlier ones in its chain do."""
        by_id = {each.id: each for each in self._parcel.signed}
        previous = by_id.get(count.content["previous"] or "")
        return previous is not None and previous.digest in self._broken

    def _compare_closings(self) -> None:
        """What the ledger held at each closing is there, and the study is closed where its lead closed it."""
        for act in self._parcel.acts:
            gone = [key for key in act.held if key not in self._whose and key not in self._told]
            if gone:
                where, wrong = _gone(
                    gone, "", len(act.held), f"the ledger held them at the closing on {act.at[:10]}"
                )
                self._faults.setdefault(where, wrong)
        if _contradicts(self._parcel.study.closed_at, self._parcel.acts):
            self._faults["whether it is closed"] = (
                "contradicts what its lead decided: closed or opened otherwise"
            )


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


def _in_a_pack(parcel: StudyRows) -> bool:
    """Whether the rows are those of a pack: sealed for its only rater, without the study's secret."""
    raters = [person.rater for person in parcel.raters]
    return parcel.seal is not None and parcel.secret is None and raters == [parcel.seal.rater]


def _missing_counts(parcel: StudyRows, genuine: Sequence[SignedCount]) -> Iterator[tuple[str, str]]:
    """The counts that are gone although something that is still there was signed with them."""
    if parcel.seal is not None and not _in_a_pack(parcel):
        yield "the seal of a pack", "stands in a store that is no pack"
    if not is_counted(parcel.study):
        return
    if not any(count.occasion == "new" for count in parcel.signed):
        yield (
            "the first signed count",
            "is gone, although the study is counted since it was made: counts were deleted",
        )
    signed = {act for count in genuine for act in count.content["parts"]["acts"]}
    for act in parcel.acts if genuine else ():
        if act.kind == "close" and act.id not in signed:
            yield (
                f"act {act.id}, a closing,",
                "is in no signed count, although closing signs one: the count is gone",
            )
