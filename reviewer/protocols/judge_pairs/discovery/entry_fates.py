"""What becomes of a named bias: known already, merged, left out, refused, or kept with its evidence."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from reviewer.protocols.discovery import DiscoveryMaterial, DiscoveryRecord
from reviewer.protocols.judge_pairs.bias_entry import DISCOVERED, same_bias
from reviewer.protocols.judge_pairs.discovery.merging import CandidateBias
from reviewer.protocols.judge_pairs.discovery.paired_evidence import LEVEL, PairedEvidence
from reviewer.protocols.judge_pairs.discovery.teaching import KnownBias
from reviewer.protocols.judge_pairs.library_protocol import JudgeLibrary
from reviewer.protocols.library import EntryDecision, EntryEvidence, EntryOrigin, EntryRecord, MergedEntry
from store.records import JsonValue

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

    def record(
        self, round_number: int, place: int, judge: str, material: DiscoveryMaterial
    ) -> DiscoveryRecord:
        """The fate as it is stored."""
        candidate, evidence = self.candidate, self.evidence
        near = candidate.known_as or candidate.merged_into or candidate.nearest
        payload = {"bias": candidate.bias.name, "definition": candidate.bias.definition}
        if near:
            payload |= {"nearest": near.name, "nearest_definition": near.text}
        calls = dict.fromkeys(candidate.calls)
        return DiscoveryRecord(
            protocol=JudgeLibrary.name,
            group=DISCOVERED,
            key=f"round-{round_number}/bias-{place}",
            payload=payload,
            counts_as=ONE_SIDED if self.one_sided else NAMED_BIASES,
            approved=self.is_kept,
            step=self.step,
            check=self.check,
            why=self.explained,
            value=evidence.p_adjusted if evidence else None,
            threshold=LEVEL if evidence else None,
            values=self._known(round_number, judge, material).values() | self._comparisons(),
            calls=tuple(calls),
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
