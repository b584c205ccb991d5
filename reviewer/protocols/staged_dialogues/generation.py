"""Generation of open questions and scripts: one request for a bias and a theme, and the checks as filters."""

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel, Field, ValidationError

from reviewer.core.check_result import CheckResult, result_of
from reviewer.core.errors import InputError
from reviewer.core.names import closest
from reviewer.core.sanitize import shown
from reviewer.core.source_text import SettingsSource
from reviewer.llm.request import ModelRequest
from reviewer.protocols.generation import (
    Draft,
    Generation,
    GenerationPlan,
    GenerationSettings,
    NoDraft,
    Step,
    StepResult,
)
from reviewer.protocols.intake import invalid
from reviewer.protocols.procedure import PromptPlan, Prompts, Sample, TriedCase
from reviewer.protocols.reading.json_values import json_object
from reviewer.protocols.staged_dialogues.biases import BIASES, DEFINITIONS, OUTSIDE, bias_named
from reviewer.protocols.staged_dialogues.script import PURPOSES, OpenQuestion, Script
from reviewer.protocols.staged_dialogues.script_checks import judge_question, judge_script
from reviewer.protocols.work import Work, replies_to
from store.records import JsonValue

_PACKAGE: Final = "reviewer.protocols.staged_dialogues"
_ATTEMPTS_A_SEED: Final = 1_000_000
"""Repeat numbers reserved for each random seed, so that a run with another seed makes new requests."""
_ALIKE_FROM: Final = 0.6
_RUN: Final = 4


class BiasSettings(GenerationSettings):
    """What is varied, and how the author is asked."""

    batch_size: int = Field(default=1, ge=1, le=1)
    """cases to ask for in one expansion; always 1"""
    themes: tuple[str, ...] = ()
    """themes, which the cases of each bias take in an order drawn from the random seed; twenty are shipped"""
    stems: dict[str, tuple[str, ...]] = {}
    """beginnings of words that give a bias away, by bias; of other biases the shipped list counts"""
    temperature: float = Field(default=1.0, ge=0, le=2)
    """temperature of all requests"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of case: its prompt, its payload, its checks, and about how long a reply is."""

    prompt: str
    payload: type[BaseModel]
    judge: Callable[[Any, str, tuple[str, ...]], tuple[CheckResult, ...]]
    characters: int
    words: Mapping[str, str]


class BiasGeneration(Generation):
    """The generation of one run."""

    settings: BiasSettings

    def __init__(self, kind: _Kind, settings: BiasSettings, prompts: Prompts, seed: int) -> None:
        self._kind, self.settings, self._prompts, self._seed = kind, settings, prompts, seed
        self._known: dict[str, dict[str, frozenset[str]]] = {}
        self.steps = (Step("rules", self._rules),)
        self.at_approval = Step("alike", self._alike)

    def expansion(self, group: str, attempt: int, state: JsonValue) -> Work[Sequence[Draft | NoDraft]]:
        """One case on the next theme."""
        known, before = (
            self._known.setdefault(group, {}),
            state.get(group) if isinstance(state, dict) else None,
        )
        for text in map(str, before if isinstance(before, list) else ()):
            known.setdefault(text, _runs_of_words(text))
        theme, request = self._request(group, attempt)
        (reply,) = yield from replies_to(request)
        content = json_object(reply.text)
        if content is None:
            return [NoDraft("The reply holds no JSON object.", reply.text)]
        try:
            payload = self._kind.payload.model_validate(content).model_dump(mode="json")
        except ValidationError as error:
            return [NoDraft(f"{invalid('The object', error)}", reply.text)]
        return [Draft(group, payload, {"theme": theme})]

    def next_state(self, state: JsonValue, tried: Sequence[TriedCase]) -> JsonValue:
        """The words of the approved cases of each bias, from which later ones must differ."""
        texts: dict[str, JsonValue] = dict(state) if isinstance(state, dict) else {}
        for case in tried:
            if case.approved:
                before = texts.get(case.group)
                texts[case.group] = [
                    *(before if isinstance(before, list) else ()),
                    _text_of(case.payload),
                ]
        return texts

    def samples(self, group: str) -> Mapping[str, Sample]:
        """The first request of the group."""
        return {self._kind.prompt: Sample(self._request(group, 0)[1], self._kind.characters)}

    def _request(self, group: str, attempt: int) -> tuple[str, ModelRequest]:
        """The theme of an attempt, and the request: themes come in an order that the seed decides."""
        themes = list(self.settings.themes)
        random.Random(f"{self._seed} {group}").shuffle(themes)  # noqa: S311  # not for secrets
        theme = themes[attempt % len(themes)]
        messages = self._prompts.fill(
            self._kind.prompt, bias=group, definition=DEFINITIONS[group], theme=theme, **self._kind.words
        )
        repeat = self._seed * _ATTEMPTS_A_SEED + attempt
        return theme, ModelRequest(
            messages, self._kind.prompt, temperature=self.settings.temperature, repeat=repeat
        )

    def _rules(self, draft: Draft) -> Work[StepResult]:
        """Whether the case passes every check."""
        yield from ()
        case = self._kind.payload.model_validate(draft.payload)
        named = {bias_named(name): stems for name, stems in self.settings.stems.items()}
        stems = named.get(bias_named(draft.group), ())
        judged = self._kind.judge(case, draft.group, stems)
        return StepResult(draft, tuple(result for result in judged if result.check != "known_bias"))

    def _alike(self, draft: Draft) -> Work[StepResult]:
        """Whether an approved case of the bias is nearly the same, also one of this round."""
        yield from ()
        text, known = _text_of(draft.payload), self._known.setdefault(draft.group, {})
        runs = _runs_of_words(text)
        if is_new := not any(_likeness(runs, other) >= _ALIKE_FROM for other in known.values()):
            known[text] = runs
        why = "" if is_new else "It nearly repeats an earlier case of the same bias."
        return StepResult(draft, (result_of("alike", is_new, why=why),))


def _text_of(payload: Mapping[str, JsonValue]) -> str:
    """The words of a case that tell it from others."""
    rules = payload.get("rules")
    texts = [str(rule["text"]) for rule in rules if isinstance(rule, dict)] if isinstance(rules, list) else []
    return " ".join(
        [*(str(payload.get(name, "")) for name in ("background", "scenario", "question")), *texts]
    )


def _runs_of_words(text: str) -> frozenset[str]:
    words = re.findall(r"\w+", text.casefold())
    return frozenset(" ".join(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1))


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """The share of runs of words that two texts have in common, from 0 to 1."""
    return len(first & second) / max(1, len(first | second))


def _groups(settings: BiasSettings, source: SettingsSource) -> tuple[str, ...]:
    """Every bias; raises InputError for stems of a bias that is not known, and for no themes."""
    if not settings.themes:
        raise InputError(source.place_of("themes") or "setting themes", "is empty", "give a theme")
    for name in settings.stems:
        if bias_named(name) is None:
            place = source.place_of("stems") or "setting stems"
            known = closest(name, DEFINITIONS, "name one of")
            raise InputError(place, f"names {shown(name)!r}, which is none of the biases", known)
    return tuple(bias.name for bias in (*BIASES, *OUTSIDE))


def _plan(kind: _Kind) -> GenerationPlan:
    placeholders = frozenset({"bias", "definition", "theme", *kind.words})
    return GenerationPlan(
        prompts=PromptPlan(_PACKAGE, {kind.prompt: placeholders}),
        settings=BiasSettings,
        start=lambda settings, prompts, _seeds, seed: BiasGeneration(kind, settings, prompts, seed),
        groups=_groups,
        usual_file="themes.toml",
    )


QUESTION_PLAN = _plan(_Kind("question", OpenQuestion, judge_question, 1_000, {}))
SCRIPT_PLAN = _plan(_Kind("script", Script, judge_script, 4_000, {"purposes": "; ".join(PURPOSES)}))
