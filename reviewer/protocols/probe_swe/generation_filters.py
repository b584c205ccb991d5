"""The filters of PROBE-SWE's generation. Each is a step that requests what it needs and judges it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from reviewer.core.check_result import CheckResult, first_failed, result_of
from reviewer.core.number_text import fixed
from reviewer.llm.request import ModelReply
from reviewer.oracle.examination import Examination
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.result import Result, Status
from reviewer.oracle.version_checks import failed_checks
from reviewer.protocols.generation import Draft, StepResult
from reviewer.protocols.probe_swe.dilemma import Dilemma, option_title, other_option
from reviewer.protocols.probe_swe.dilemma_logic import OPTIONS, neutrality_checks, not_asked_of
from reviewer.protocols.probe_swe.dilemma_protocol import (
    Bounds,
    LikenessBounds,
    judge_rebuilt,
    named,
    template_checks,
)
from reviewer.protocols.probe_swe.evaluation import read_decision
from reviewer.protocols.probe_swe.generation_replies import (
    UnusableReply,
    explanation_in,
    programs_in,
    text_in,
    yes_in,
)
from reviewer.protocols.probe_swe.generation_requests import ProbeSweSettings, Requests
from reviewer.protocols.probe_swe.option_exchange import words_of_options
from reviewer.protocols.work import Work, evidence_of, nearest_to, replies_to, results_of, vectors_of
from reviewer.similarity.edit_distance import levenshtein_similarity
from store.records import JsonValue

_BEST_PRACTICE = re.compile(r"\bbest[\s-]+practi[cs]e", re.IGNORECASE)
_MOST_TOLD = 400


@dataclass(frozen=True, slots=True)
class Filters:
    """Every filter of one run. ``examples`` holds a solved example for each bias."""

    requests: Requests
    settings: ProbeSweSettings
    examples: Mapping[str, Dilemma]

    def template(self, draft: Draft) -> Work[StepResult]:
        """The texts follow the template of dilemmas."""
        yield from ()
        return StepResult(
            draft, named("template", template_checks(draft.payload["unbiased"], draft.payload["biased"]))
        )

    def similarity(self, draft: Draft) -> Work[StepResult]:
        """The two texts are similar but not the same."""
        texts = draft.payload["unbiased"], draft.payload["biased"]
        first, second = yield from vectors_of(*texts)
        cosine, levenshtein = float(first @ second), levenshtein_similarity(*texts)
        measured = draft.adding(pair_similarity=cosine, pair_levenshtein_similarity=levenshtein)
        return StepResult(
            measured, named("similarity", self._bounds().judge(draft.group, cosine, levenshtein))
        )

    def collision(self, draft: Draft) -> Work[StepResult]:
        """No approved pair has an unbiased text that is too similar to this one."""
        nearest = yield from nearest_to(draft.payload["unbiased"])
        limit = self.settings.collision
        if nearest is None or nearest.similarity < limit:
            value = None if nearest is None else nearest.similarity
            return StepResult(draft, named("collision", [result_of("near", True, value, limit)]))
        why = f"Its similarity to {nearest.key} is {fixed(nearest.similarity, 3)}, not below {limit:g}."
        return StepResult(
            draft, named("collision", [result_of("near", False, nearest.similarity, limit, why)])
        )

    def identification(self, draft: Draft) -> Work[StepResult]:
        """The model finds the bias in the biased text but not in the unbiased one."""
        judged = []
        for version, expected in (("biased", True), ("unbiased", False)):
            (reply,) = yield from replies_to(self.requests.bias_in(draft.group, draft.payload[version]))
            judged.append(_identified(version, expected, reply))
            if not judged[-1].passed:
                break
        return StepResult(draft, named("identification", judged))

    def conversion(self, draft: Draft) -> Work[StepResult]:
        """The model writes axioms and both programs; after a bad reply it is told the fault and retries."""
        request = self.requests.programs(draft.group, self.examples[draft.group], draft.payload)
        tries = 1 + self.settings.conversion_reasks
        judged = result_of("format", False)
        for number in range(1, tries + 1):
            (reply,) = yield from replies_to(request)
            judged, programs = yield from _read_programs(reply, number, tries)
            draft = draft.adding(programs)
            if judged.passed and not judged.why:
                break
            problem = judged.why
            request = self.requests.programs_again(request, reply.text[: _MOST_TOLD * 50], problem)
        if judged.passed:
            judged = replace(judged, why="")
        return StepResult(draft, named("conversion", [judged]))

    def logic(self, draft: Draft) -> Work[StepResult]:
        """Logic takes the same decision on both versions."""
        first, second = _programs(draft.payload)
        results = yield from results_of(first, second)
        judged = named("logic", neutrality_checks(*results))
        if not first_failed(judged).passed:
            return StepResult(draft, judged)
        decided = draft.adding(None, **_decided(results[0]))
        if not self.settings.strict:
            return StepResult(decided, judged)
        evidence = yield from evidence_of(Examination(first, second, OPTIONS))
        serious = [failure for failure in failed_checks(evidence) if _is_serious(failure, draft.group)]
        why = " ".join(failure.why for failure in serious)
        audit = result_of("audit", not serious, [failure.check for failure in serious], None, why)
        return StepResult(decided, (*judged, *named("logic", [audit])))

    def verification(self, draft: Draft) -> Work[StepResult]:
        """Most of several runs find the bias in the biased text only, and towards the wrong option."""
        wrong = option_title(other_option(str(draft.values["choice"])))
        runs = range(self.settings.verification_runs)
        requests = (self.requests.bias_only_in_biased(draft.group, draft.payload, wrong, run) for run in runs)
        replies = yield from replies_to(*requests)
        said_yes = [reply for reply in replies if yes_in(reply.text)]
        verified = draft.adding(bias_verifications=len(said_yes))
        if said_yes:
            verified = verified.adding(bias_explanation=explanation_in(said_yes[0].text))
        return StepResult(verified, named("verification", [self._share_of_yes(len(said_yes), replies)]))

    def round_trip(self, draft: Draft) -> Work[StepResult]:
        """The text that the model rebuilds from the unbiased program has the meaning of the original."""
        request = self.requests.text(self.examples[draft.group], draft.payload["unbiased_prolog"])
        (reply,) = yield from replies_to(request)
        try:
            rebuilt = text_in(reply.text)
        except UnusableReply as unusable:
            return StepResult(
                draft, named("rebuilt", [result_of("format", False, None, None, str(unusable))])
            )
        original, again = yield from vectors_of(draft.payload["unbiased"], rebuilt)
        value = float(original @ again)
        compared = draft.adding({"reconstructed_unbiased_prompt": rebuilt}, reconstruction_similarity=value)
        judged = (
            _given_away(draft.payload["unbiased"], rebuilt),
            judge_rebuilt(value, self.settings.least_reconstruction),
        )
        return StepResult(compared, named("rebuilt", judged))

    def decision(self, draft: Draft) -> Work[StepResult]:
        """The model decides the unbiased text as logic does, in nearly every run."""
        runs = range(self.settings.decision_runs)
        requests = (self.requests.decision(draft.payload["unbiased"], run) for run in runs)
        replies = yield from replies_to(*requests)
        decided = [self._decided(reply, draft.payload["unbiased"]) for reply in replies]
        accepted = str(draft.values["choice"])
        measured = draft.adding(agreement_rate=decided.count(accepted) / len(decided))
        judged = decision_checks(decided, accepted, self.settings.decision_agreement)
        return StepResult(measured, named("decision", judged))

    def _decided(self, reply: ModelReply, text: str) -> str | None:
        label = read_decision(reply.text, words_of_options(text)).label
        return f"option_{label}" if label else None

    def _bounds(self) -> LikenessBounds:
        settings = self.settings
        return LikenessBounds(
            Bounds(settings.least_cosine, settings.most_cosine),
            Bounds(settings.least_levenshtein, settings.most_levenshtein),
            Bounds(settings.framing_least_cosine, settings.most_cosine),
            Bounds(settings.framing_least_levenshtein, settings.most_levenshtein),
        )

    def _share_of_yes(self, said_yes: int, replies: Sequence[ModelReply]) -> CheckResult:
        wanted, runs = self.settings.verification_share, len(replies)
        passed = 2 * said_yes > runs if wanted == "majority" else said_yes / runs >= wanted
        reason = next((_told(reply) for reply in replies if not yes_in(reply.text)), "")
        why = "" if passed else f"{said_yes} of {runs} runs confirm the bias. {reason}".strip()
        return result_of("share", passed, said_yes / runs, wanted, why)


def decision_checks(
    decided: Sequence[str | None], accepted: str, least: float
) -> tuple[CheckResult, CheckResult]:
    """Whether enough runs agree on a decision (None: unreadable), and whether logic decides the same."""
    readable = Counter(option for option in decided if option)
    option, count = readable.most_common(1)[0] if readable else (None, 0)
    share = count / len(decided)
    scattered = "" if share >= least else f"{count} of {len(decided)} runs agree on a decision, too few."
    differs = "" if option == accepted else f"The model decides {option}, logic {accepted}."
    return (
        result_of("agreement", not scattered, share, least, scattered),
        result_of("choice", not differs, option, accepted, differs),
    )


def _identified(version: str, expected: bool, reply: ModelReply) -> CheckResult:
    """Whether the model finds the bias if it is expected to, and does not find it otherwise."""
    answer = yes_in(reply.text)
    if answer is expected:
        return result_of(version, True, answer, expected)
    said = {None: "says neither that it finds nor that it misses", True: "finds", False: "does not find"}[
        answer
    ]
    why = f"The model {said} the bias in the {version} text. {_told(reply)}".strip()
    return result_of(version, False, answer, expected, why)


def _given_away(original: str, rebuilt: str) -> CheckResult:
    """Whether a rebuilt text mentions best practice although the original does not."""
    match = None if _BEST_PRACTICE.search(original) else _BEST_PRACTICE.search(rebuilt)
    why = "The rebuilt text speaks of best practice." if match else ""
    return result_of("given_away", not match, match and match[0], None, why)


def _read_programs(reply: ModelReply, number: int, tries: int) -> Work[tuple[CheckResult, dict[str, str]]]:
    """The programs of a reply. Programs that Prolog cannot load whole pass, with its complaint as ``why``."""
    try:
        programs = programs_in(reply.text)
    except UnusableReply as unusable:
        return result_of("format", False, number, tries, str(unusable)), {}
    results = yield from results_of(*_programs(programs))
    return result_of("format", True, number, tries, _complaint(results)), programs


def _complaint(results: Sequence[Result]) -> str:
    """What Prolog says about a program that it cannot load whole; "" if it loads both."""
    for version, result in zip(("unbiased", "biased"), results, strict=True):
        syntax = [message for message in result.messages if message.kind == "syntax"]
        if syntax:
            where, said = syntax[0].place, syntax[0].text[:_MOST_TOLD]
            place = f"{where.part.value}, line {where.line}"
            return f"Prolog cannot read a clause of the {version} program ({place}: {said})."
        if result.status is Status.LOAD_ERROR:
            return f"Prolog cannot load the {version} program ({str(result.error)[:_MOST_TOLD]})."
    return ""


def _programs(payload: Mapping[str, str]) -> tuple[Program, Program]:
    first, second = payload["unbiased_prolog"], payload["biased_prolog"]
    return Program(first, payload["axioms"]), Program(second, payload["axioms"])


def _decided(result: Result) -> dict[str, JsonValue]:
    counts = result.counts
    return {
        "choice": result.choice,
        "inference_steps": counts and counts.inference_steps,
        "choice_steps": counts and counts.choice_steps,
    }


def _is_serious(failure: CheckResult, bias: str) -> bool:
    return failure.severity == "serious" and failure.check not in not_asked_of(bias)


def _told(reply: ModelReply) -> str:
    return explanation_in(reply.text)[:_MOST_TOLD]
