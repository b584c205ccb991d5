"""Generation: rounds of expansions, whose candidates are checked concurrently and written together.

A round asks for more candidates in every group that still lacks cases. After all of them went through the
steps, they are approved in a fixed order, so the result depends on the seed and the replies alone.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.check_result import CheckResult, result_of
from reviewer.llm.request_errors import OF_ONE_REQUEST, ModelError
from reviewer.protocols.generation import Draft, Generation, NoDraft, Step, StepResult
from reviewer.protocols.procedure import TriedCase
from reviewer.protocols.registry import protocols_of
from reviewer.protocols.work import Work, together, traced
from reviewer.runs.case_making import CaseMakingRun, CaseRecorder, came_with
from reviewer.runs.engine.run_loop import HeldRun
from reviewer.runs.engine.run_progress import RunProgress
from reviewer.runs.engine.work_runner import ApprovedTexts, RunTools, WorkRunner
from reviewer.runs.generation.generation_progress import OPEN, generation_progress, groups_of, why_ended
from store.candidates import Fate, expansions_of, fates
from store.case_import import Entry
from store.cases import Filter, get_case, get_measurements, list_places, memberships_of
from store.records import Case, JsonValue, Measurement, Membership, Run, canonical_json

EXPANSION = "expansion"
"""The name of the first step. It discards replies that contain no candidate."""
_MOST_KEPT = 2_000
_EMPTY = NoDraft("The expansion brought no candidate.")


@dataclass(frozen=True, slots=True)
class CandidatePipeline:
    """Asks for candidates and takes each through the steps. ``on_result`` gets every finished candidate."""

    generation: Generation
    protocol: str
    on_result: Callable[[TriedCase], None]

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[list[TriedCase]]:
        """The results of all candidates of one expansion, in their order."""
        asked = yield from traced(self.generation.expansion(group, attempt, state))
        first = TriedCase(
            self.protocol,
            group,
            "",
            {},
            EXPANSION,
            (result_of("format", True),),
            calls=asked.calls,
            expansion=attempt,
        )
        if asked.error:
            return [self._reported(replace(self._at(first, 1), judged=(_unanswered(asked.error),)))]
        # The store counts expansions by their candidates, so one without any would be asked for again.
        drafts = enumerate(asked.result or [_EMPTY], 1)
        works = [self._candidate(self._at(first, place), _plain(draft)) for place, draft in drafts]
        return (yield from together("", works))

    def last(self, before: TriedCase) -> Work[TriedCase]:
        """The result of a candidate that passed every step, after the step at approval, if there is one."""
        step = self.generation.at_approval
        return before if step is None else (yield from self._step(before, step))

    def _at(self, first: TriedCase, place: int) -> TriedCase:
        key = self.generation.key(first.group, first.expansion, place)
        return replace(first, place=place, key=key)

    def _candidate(self, begun: TriedCase, draft: Draft | NoDraft) -> Work[TriedCase]:
        if isinstance(draft, NoDraft):
            judged = result_of("format", False, None, None, draft.why)
            return self._reported(replace(begun, payload=_beginning(draft.reply), judged=(judged,)))
        tried = replace(begun, payload=draft.payload, values=draft.values)
        for step in self.generation.steps:
            tried = yield from self._step(tried, step)
            if not tried.approved:
                break
        return self._reported(tried)

    def _step(self, before: TriedCase, step: Step) -> Work[TriedCase]:
        draft = Draft(before.group, before.payload, before.values)
        asked = yield from traced(step.check(draft))
        result = asked.result or StepResult(draft, (_unanswered(asked.error),))
        return replace(
            before,
            payload=result.draft.payload,
            values=result.draft.values,
            step=step.name,
            judged=result.judged,
            counts_as=step.counts_as,
            calls=(*before.calls, *asked.calls),
        )

    def _reported(self, tried: TriedCase) -> TriedCase:
        self.on_result(tried)
        return tried


def _plain(draft: Draft | NoDraft) -> Draft | NoDraft:
    """The draft, if it can be written as JSON and stored; else the reason why not."""
    if isinstance(draft, Draft):
        try:
            as_json = canonical_json([draft.payload, draft.values])
            as_json.encode()
        except (TypeError, ValueError):
            return NoDraft("The reply holds a number or a character that cannot be kept.")
        if not isinstance(draft.payload, Mapping):
            return NoDraft("The reply is not a JSON object.", as_json)
    return draft


def _unanswered(error: ModelError | None) -> CheckResult:
    """The result for a request without an answer; raises an error that concerns other requests too."""
    if error and not isinstance(error, OF_ONE_REQUEST):
        raise error
    return result_of("unanswered", False, None, None, str(error))


def _beginning(reply: str) -> dict[str, JsonValue]:
    """The beginning of a reply without a candidate, for people to read."""
    return {"reply": reply[:_MOST_KEPT].replace("\0", "\ufffd")} if reply else {}


class Generator(CaseMakingRun[tuple[str, int], list[TriedCase]]):
    """A generation run; a unit is an expansion: its group and its number there."""

    def __init__(self, share: HeldRun, run: Run, generation: Generation, tools: RunTools) -> None:
        protocols = protocols_of(share.database)
        protocol = protocols.named(run.protocol)
        made = {protocol.name: ("", f"generated by {run.model}")}
        seeds = sum(map(len, run.seeds.values()))
        self._approved = ApprovedTexts()
        super().__init__(
            share,
            run,
            tools,
            generation.sampling,
            WorkRunner(tools.embedder, tools.executor, self._approved),
            CaseRecorder(run, protocols, run.model, seeds, made),
        )
        self._generation = generation
        self._pipeline = CandidatePipeline(generation, protocol.name, self._add_result)
        self._groups = groups_of(protocols, run)
        self._under_way: list[TriedCase] = []
        with self._database.read() as session:
            self._fates = fates(session, run.name)
            self._expansions = expansions_of(session, run.name)

    @property
    def progress(self) -> RunProgress:
        """How far the run is, including the current round."""
        current = (
            Fate(tried.group, tried.approved, tried.step, "", tried.counts_as, 1) for tried in self._under_way
        )
        return generation_progress(self.run, self._groups, [*self._fates, *current], self._expansions)

    def why_ended(self) -> str:
        """Which groups were given up; "" if none was."""
        return why_ended(self.progress.parts)

    async def first_entries(self) -> Sequence[Entry]:
        """The seeds, with their published values and those that are measured now."""
        numbered = [
            (digest, number)
            for group in self._groups
            for number, digest in enumerate(self.run.seeds[group], start=1)
        ]
        return [await self._seed(*seed, position) for position, seed in enumerate(numbered)]

    async def begin(self) -> None:
        """Write the run, and load the texts that were approved before, seeds first."""
        await super().begin()
        with self._database.read() as session:
            places = list_places(session, Filter(datasets=(self.run.name,)))
        await self._remember({place.key: case.payload for place, case in places})
        self._tools.report(self.progress)

    def units(self) -> Sequence[tuple[str, int]]:
        """Further expansions of every group that lacks cases and is not given up."""
        self._under_way.clear()
        return [
            (group.name, group.counts["expansions"] + further)
            for group in self.progress.parts
            if group.state == OPEN
            for further in range(self._generation.settings.expansions_at_once)
        ]

    def work(self, unit: tuple[str, int]) -> Work[list[TriedCase]]:
        """An expansion, and the way of each of its candidates through the steps."""
        return self._pipeline.expansion(*unit, self.run.left)

    async def keep(self, products: Sequence[list[TriedCase]], last: bool) -> None:
        """Approve the candidates of a round one after another, and write them."""
        tried = [await self._approval(each) for expansion in products for each in expansion]
        left = self._generation.next_state(self.run.left, tried)
        candidates = await self.write(tried, left, {call for each in tried for call in each.calls})
        self._under_way.clear()
        counted = Counter((c.group, c.approved, c.step, c.check, c.counts_as) for c in candidates)
        self._fates += [Fate(*fate, number) for fate, number in counted.items()]
        for each in tried:
            self._expansions.count(each.group, each.expansion, each.approved)
        self._tools.report(self.progress)

    async def _approval(self, tried: TriedCase) -> TriedCase:
        """The candidate; one that passed is first compared with all that were approved before it."""
        if tried.approved:
            tried = self._recorder.valid(await self.runner.run(self._pipeline.last(tried), self.requester()))
        if tried.approved:
            await self._remember({tried.key: tried.payload})
        return tried

    async def _remember(self, approved: Mapping[str, Mapping[str, JsonValue]]) -> None:
        """Add the texts of approved cases, by key, to those that later candidates are compared with."""
        texts = {key: self._generation.compared_text(payload) for key, payload in approved.items()}
        compared = {key: text for key, text in texts.items() if text}
        if compared:
            self._approved.add(list(compared), await self.runner.vectors(list(compared.values())))

    async def _seed(self, digest: str, number: int, position: int) -> Entry:
        """A seed at its place in the run's dataset."""
        case, generator, values = self._stored_seed(digest)
        measured = await self.runner.run(self._generation.values_of_seed(case), self.requester())
        place = Membership(
            dataset=self.run.name,
            key=self._generation.seed_key(case.group, number),
            case=digest,
            position=position,
            generator=generator,
            origin="seed",
        )
        published = {value.name: value.value for value in values if measured.get(value.name) is None}
        own = (*came_with(place, published), *self._recorder.measured(place, measured))
        return Entry(case, place, own)

    def _stored_seed(self, digest: str) -> tuple[Case, str, list[Measurement]]:
        """A seed, its generator, and the values that were published with it."""
        with self._database.read() as session:
            values = get_measurements(session, [digest])[digest]
            generator = memberships_of(session, digest)[0].generator
            return get_case(session, digest), generator, [v for v in values if v.source == "published"]

    def _add_result(self, tried: TriedCase) -> None:
        self._under_way.append(tried)
        self._tools.report(self.progress)
