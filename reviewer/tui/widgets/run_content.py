"""The text of the generation screen about a run, and where there is no run yet."""

import shlex
from collections.abc import Mapping

from textual.content import Content

from reviewer.core.sanitize import counted
from reviewer.llm.usage import Usage
from reviewer.runs.discovery.discovery_progress import DiscoveryProgress, DiscoveryStanding
from reviewer.runs.discovery.discovery_setup import MATERIAL, TEACHER
from reviewer.runs.generation.progress_text import sentence_of, spent_in_words, state_of
from reviewer.runs.generation.run_progress import GroupProgress, RunProgress
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hint
from store.records import Run

_LONGEST = 60
_NAME = 23
_LEAST_BAR, _MOST_BAR = 8, 20
_NUMBERS = 30


def no_run_yet(keys: Mapping[str, str]) -> Content:
    """What a run is, which key starts one, and what it needs."""
    lines = [
        Content.styled("No run yet", "bold $foreground"),
        literal("In a run a language model turns the seed cases into a dataset. What passes"),
        literal("every check is kept; what fails is kept apart, with the reason."),
        Content(""),
        hint(keys["generation.new"], "starts one; you can stop and resume it at any time"),
        Content(""),
        literal("It needs a model that can be reached (`reviewer models try MODEL`), SWI-Prolog"),
        literal("(`reviewer oracle doctor`) and pip install 'dilemma-reviewer[similarity]'."),
    ]
    return Content("\n").join(lines)


def run_item(run: Run, progress: RunProgress | DiscoveryStanding) -> Content:
    """Two lines: the run's name; its progress and its model."""
    sign = "✓ finished" if run.state == "finished" else "● open"
    number = (
        f"discovery, {len(progress.kept):,} kept"
        if isinstance(progress, DiscoveryStanding)
        else f"{progress.valid:,} valid"
    )
    summary = f"{sign} · {number} · {run.model}"
    return Content("\n").join(
        [literal_line(run.name, _LONGEST, "bold"), literal_line(summary, _LONGEST, "$foreground 60%")]
    )


def run_text(
    run: Run, progress: RunProgress, width: int, spent: Usage | None = None, left: str = ""
) -> Content:
    """The run in lines: its settings, its groups, its funnel, what it cost, how long it will take."""
    head = f"{run.model} · seed {run.seed} · order {run.settings['order']}"
    lines = [literal(head, "$foreground 60%"), literal(sentence_of(progress), "bold")]
    if spent is not None:
        lines += [literal(spent_in_words(spent)), literal(left)]
    if run.why and not left:
        lines.append(literal(run.why))
    lines += [Content(""), *(_group_line(group, width) for group in progress.groups)]
    if progress.discarded:
        lines += [Content(""), literal("discarded", "bold $foreground 60%")]
        most_first = sorted(progress.discarded.items(), key=lambda step: -step[1])
        lines += [_step_line(step, number, progress.tried, width) for step, number in most_first]
        name = shlex.quote(run.name)
        more = f"`reviewer funnel {name}` counts the reasons, `reviewer candidates {name}` lists them."
        lines += [Content(""), literal(more, "$foreground 60%")]
    return Content("\n").join(lines)


def discovery_text(
    run: Run, standing: DiscoveryStanding, now: DiscoveryProgress | None = None, spent: Usage | None = None
) -> Content:
    """A discovery run in lines: its models, what it kept, what it does now, and what each round tried."""
    name = shlex.quote(run.name)
    head = f"discovery · judge {run.model} · teacher {run.roles[TEACHER]} · seed {run.seed}"
    material = " · ".join(f"{part} {run.material[part]}" for part in MATERIAL)
    kept = f"{len(standing.kept):,} kept in {counted(run.rounds, 'complete round')}."
    lines = [*(literal(text, "$foreground 60%") for text in (head, material)), literal(kept, "bold")]
    if now is not None:
        lines.append(literal(now.sentence))
    if spent is not None:
        lines.append(literal(spent_in_words(spent)))
    if run.why:
        lines.append(literal(run.why))
    number = None
    for fate in standing.fates:
        if fate.round != number:
            number = fate.round
            lines += [Content(""), literal(f"round {number}", "bold $foreground 60%")]
        what = f"{fate.counts_as} · {fate.step} · {fate.check}".replace("_", " ")
        lines.append(literal(f"{fate.candidates:>7,}  {what}"))
    more = f"`reviewer candidates {name}` lists what was tried, `reviewer library {name}` what is known now."
    return Content("\n").join([*lines, Content(""), literal(more, "$foreground 60%")])


def _group_line(group: GroupProgress, width: int) -> Content:
    """One group on one line; what does not fit is left out."""
    counts = f" {group.valid:>{len(str(group.target)) + 1}} of {group.target}"
    for more in (f"  {state_of(group):<8}", f"  {group.tried:>4} tried"):
        if _NAME + _LEAST_BAR + len(counts) + len(more) <= width:
            counts += more
    return Content.assemble(_name(group.group), bar(group.valid, group.target, _bar(width)), literal(counts))


def _step_line(step: str, number: int, tried: int, width: int) -> Content:
    """How many candidates were discarded at a step, as a share of all that were tried."""
    share = bar(number, tried, _bar(width))
    return Content.assemble(_name(step.replace("_", " ")), share, literal(f" {number:>3,}"))


def _bar(width: int) -> int:
    """The cells of a bar: the room beside name and numbers, within limits."""
    return max(_LEAST_BAR, min(_MOST_BAR, width - _NAME - _NUMBERS))


def _name(text: str) -> Content:
    return literal(f"{text[: _NAME - 1]:<{_NAME}}")
