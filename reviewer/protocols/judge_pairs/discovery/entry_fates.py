"""What becomes of a named bias: known already, merged, left out, refused, or kept with its evidence.

Each item is judged as it was published and with its rejected answer rewritten. Only items that were answered
under both conditions count. The test is McNemar's exact one: a two-sided sign test on the discordant items,
which turned wrong or turned right (McNemar, Q. (1947), Psychometrika 12, 153-157). The p values of a round's
candidates are adjusted by Holm's method, so that a round without any effect keeps something in at most one of
twenty cases.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from reviewer.agreement.proportions import holm, sign_test
from reviewer.core.check_result import result_of
from reviewer.core.errors import RequestError
from reviewer.core.number_text import significant
from reviewer.protocols.discovery import DiscoveryMaterial
from reviewer.protocols.judge_pairs.discovery.teaching import CandidateBias, KnownBias
from reviewer.protocols.judge_pairs.library_protocol import JudgeLibrary
from reviewer.protocols.judge_pairs.payloads import DISCOVERED, same_bias
from reviewer.protocols.library_plan import (
    EntryDecision,
    EntryEvidence,
    EntryOrigin,
    EntryRecord,
    MergedEntry,
)
from reviewer.protocols.procedure import TriedCase
from store.records import JsonValue

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class ConditionErrors:
    """The layouts in which items were judged, and whether each answered item (by key) was misjudged."""

    layouts: tuple[str, ...]
    wrong: Mapping[str, bool]


@dataclass(frozen=True, slots=True)
class PairedEvidence:
    """Of the items: how many were misjudged before and after, and how many turned wrong or right.

    ``p`` is None without a discordant item. ``p_adjusted`` is Holm's over the candidates of a round.
    """

    items: int
    wrong_before: int
    wrong_after: int
    turned_wrong: int
    turned_right: int
    p: float | None
    p_adjusted: float | None = None

    @property
    def is_kept(self) -> bool:
        """Whether more items turned wrong than right, and the adjusted p is below .05."""
        is_sure = self.p_adjusted is not None and self.p_adjusted < LEVEL
        return is_sure and self.turned_wrong > self.turned_right

    @property
    def check(self) -> str:
        """What decided, as a name that is counted."""
        if self.is_kept:
            return "kept"
        if not self.items:
            return "no_items"
        return "not_worse" if self.turned_wrong <= self.turned_right else "not_significant"

    @property
    def why(self) -> str:
        """Why the bias was kept or not, as a sentence."""
        if not self.items:
            return "No item was answered both as published and rewritten."
        turned = f"{self.turned_wrong} of {self.items} items turned wrong and {self.turned_right} right"
        if self.p_adjusted is None:
            return f"{turned}."
        return f"{turned}; the adjusted p is {significant(self.p_adjusted, 3)}."


def paired_evidence(before: ConditionErrors, after: ConditionErrors) -> PairedEvidence:
    """The evidence over items that both answered; raises RequestError if the layouts differ."""
    if sorted(before.layouts) != sorted(after.layouts):
        raise RequestError(
            f"the baseline was judged in the layouts {', '.join(before.layouts) or 'none'}, and the rewrites "
            f"in {', '.join(after.layouts) or 'none'}; they can only be compared in the same layouts."
        )
    both = [key for key in before.wrong if key in after.wrong]
    turned_wrong = sum(after.wrong[key] and not before.wrong[key] for key in both)
    turned_right = sum(before.wrong[key] and not after.wrong[key] for key in both)
    return PairedEvidence(
        len(both),
        sum(before.wrong[key] for key in both),
        sum(after.wrong[key] for key in both),
        turned_wrong,
        turned_right,
        sign_test(turned_wrong, turned_right).p,
    )


def adjusted(evidence: Sequence[PairedEvidence]) -> list[PairedEvidence]:
    """The evidence of a round's candidates with Holm's adjusted p values, in the same order."""
    p_values = holm([each.p for each in evidence])
    return [replace(each, p_adjusted=p) for each, p in zip(evidence, p_values, strict=True)]


NAMED_BIASES: Final = "named biases"
ONE_SIDED: Final = "named biases (same in one direction only)"
_MERGED_CHECKS: Final = ("known_name", "merged", "merged_before")
COMPARED: Final = "comparisons"
_BOTH_SAME = "The teacher said in both directions that the two are the same."


@dataclass(frozen=True, slots=True)
class EntryFate:
    """A candidate, the step at which its way ended, what was found there, and a sentence that says why."""

    candidate: CandidateBias
    step: str
    check: str
    why: str
    evidence: PairedEvidence | None = None

    @property
    def is_kept(self) -> bool:
        """Whether the bias enters the library."""
        return self.evidence is not None and self.evidence.is_kept

    @property
    def one_sided(self) -> tuple[str, ...]:
        """The names of the biases that the teacher called the same in one direction only."""
        return tuple(shown.bias.name for shown in self.candidate.compared if shown.is_one_sided)

    @property
    def explained(self) -> str:
        """Why its way ended there, and which comparisons were contradictory or could not be read."""
        said = [self.why]
        if self.one_sided:
            names = ", ".join(self.one_sided)
            said.append(f"In one direction only, the teacher called it the same as {names}.")
        if unread := [shown.bias.name for shown in self.candidate.compared if shown.is_unread]:
            said.append(f"The teacher's answers about {', '.join(unread)} could not be read.")
        return " ".join(said)

    def record(self, round_number: int, place: int, judge: str, material: DiscoveryMaterial) -> TriedCase:
        """The fate as it is stored."""
        candidate, evidence = self.candidate, self.evidence
        near = candidate.known_as or candidate.merged_into or candidate.nearest
        payload = {"bias": candidate.bias.name, "definition": candidate.bias.definition}
        if near:
            payload |= {"nearest": near.name, "nearest_definition": near.text}
        calls = dict.fromkeys(candidate.calls)
        return TriedCase(
            protocol=JudgeLibrary.name,
            group=DISCOVERED,
            key=f"round-{round_number}/bias-{place}",
            payload=payload,
            counts_as=ONE_SIDED if self.one_sided else NAMED_BIASES,
            step=self.step,
            judged=(
                result_of(
                    self.check,
                    self.is_kept,
                    evidence.p_adjusted if evidence else None,
                    LEVEL if evidence else None,
                    self.explained,
                ),
            ),
            values=self._known(round_number, judge, material).values() | self._comparisons(),
            calls=tuple(calls),
            expansion=round_number,
        )

    def _known(self, round_number: int, judge: str, material: DiscoveryMaterial) -> EntryRecord:
        evidence = tuple(
            EntryEvidence(judge=judge, dataset=material.validation_dataset, **asdict(shown))
            for shown in (self.evidence,)
            if shown is not None
        )
        return EntryRecord(
            evidence=evidence,
            merged=tuple(
                MergedEntry(
                    name=merged.bias.name,
                    definition=merged.bias.definition,
                    why=_both_same(merged.same_as, self.candidate.bias),
                )
                for merged in self.candidate.merged
            ),
            origin=EntryOrigin(
                run=material.run,
                round=round_number,
                dataset=material.rewrites_dataset,
                keys=self.candidate.rewrites,
            ),
            decision=EntryDecision(
                result="kept" if self.is_kept else "merged" if self.check in _MERGED_CHECKS else "rejected",
                why=self.explained,
            ),
        )

    def _comparisons(self) -> dict[str, JsonValue]:
        """The answers about the nearest biases in both directions."""
        compared = [
            {"name": each.bias.name, "same": each.forward, "same the other way round": each.backward}
            for each in self.candidate.compared
        ]
        return {COMPARED: compared} if compared else {}


def fates_of(
    merged: Sequence[CandidateBias],
    tested: Sequence[KnownBias],
    chosen: Sequence[CandidateBias],
    evidence: Sequence[PairedEvidence],
) -> Iterator[EntryFate]:
    """What became of each named bias; ``chosen`` are those that were validated, with their evidence."""
    shown = {each.bias.name: own for each, own in zip(chosen, evidence, strict=True)}
    before = {bias.name for bias in tested}
    for candidate in merged:
        if (own := shown.get(candidate.bias.name)) is not None:
            yield EntryFate(candidate, "validation", own.check, own.why, own)
        elif candidate.is_new:
            why = f"{len(chosen)} other candidates of this round are supported by as many rewrites or more."
            yield EntryFate(candidate, "merging", "over_limit", why)
        else:
            yield _not_new(candidate, before)


def _both_same(same: KnownBias, into: KnownBias) -> str:
    """What the teacher said of a bias and the one that it was merged for; that may be merged itself."""
    if same.name == into.name:
        return f"{_BOTH_SAME} The other is {into.name}."
    return f"{_BOTH_SAME} The other is {same.name}, which was merged into {into.name}."


def _not_new(candidate: CandidateBias, tested: Container[str]) -> EntryFate:
    if same := candidate.known_as:
        if same_bias(same.name) != same_bias(candidate.bias.name):
            check = "tested_before" if same.name in tested else "merged_before"
            then = "was tested and not kept" if same.name in tested else "is in the library"
            why = f"An earlier round merged it into {same.name}, which {then}."
            return EntryFate(candidate, "merging", check, why)
        if same.name in tested:
            why = f"A bias of this name, {same.name}, was tested in an earlier round and was not kept."
            return EntryFate(candidate, "merging", "tested_before", why)
        why = f"The library has a bias of this name: {same.name}."
        return EntryFate(candidate, "merging", "known_name", why)
    same, into = candidate.same_as, candidate.merged_into
    assert same is not None
    assert into is not None
    check = "same_as_tested" if into.name in tested else "merged"
    return EntryFate(candidate, "merging", check, _both_same(same, into))
