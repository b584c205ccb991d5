"""The text of the screen of runs about a run, and where there is no run yet."""

import shlex
from collections.abc import Iterator, Mapping

from textual.content import Content

from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.core.table import Table
from reviewer.llm.usage import Usage
from reviewer.runs.discovery.discovery_setup import MATERIAL
from reviewer.runs.engine.run_progress import PartProgress, RunProgress, spent_in_words
from reviewer.runs.evaluation.evaluation_progress import MISSING, NOT_ASKED, UNREADABLE
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.made_cases import DATASET
from reviewer.runs.run_list import RunSummary
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hint
from store.calls import KeptCalls
from store.records import REPAIR, Run

_PARTS = (*MATERIAL, DATASET)
_LONGEST = 60
_NAME = 23
_LEAST_BAR, _MOST_BAR = 8, 20
_NUMBERS = 30


def no_run_yet(keys: Mapping[str, str]) -> Content:
    """An explanation of runs: the keys that start one, and its requirements."""
    lines = [
        Content.styled("No run yet", "bold $foreground"),
        literal("In a run, a language model turns seed cases into a dataset; what fails a check"),
        literal("is kept apart, with the reason. Or cases are put to models under conditions:"),
        literal("every answer is kept and read, and the effects say how decisions change."),
        Content(""),
        hint(keys["runs.generate"], "generates a dataset; you can stop and resume it at any time"),
        hint(keys["runs.evaluate"], "puts the cases of datasets to models"),
        Content(""),
        literal("Both need a model that can be reached (`reviewer models try MODEL`). Generation"),
        literal("needs SWI-Prolog (`reviewer oracle doctor`) and pip install"),
        literal("'dilemma-reviewer[similarity]'. `reviewer outcomes import` adds others' outcomes."),
    ]
    return Content("\n").join(lines)


def run_item(listed: RunSummary) -> Content:
    """Two lines: the run's name; whether it is at its end, what it kept, and which models it asks."""
    run, progress = listed.run, listed.progress
    sign = "✓ finished" if listed.is_finished else "● open"
    match run.procedure:
        case "repair":
            words = [sign, f"{progress.kept:,} with repairs", run.model]
        case "evaluate" | "judges":
            share = progress.done / max(1, sum(part.wanted for part in progress.parts))
            # Rounded down: only a finished run has everything.
            sign = sign if listed.is_finished else f"{sign} · {int(100 * share)}%"
            words = [sign, counted(len(progress.parts), "model")]
        case "discover":
            words = [sign, f"discovery, {progress.kept:,} kept", run.model]
        case "generate":
            words = [sign, f"{progress.kept:,} valid", run.model]
        case name:
            words = [sign, name, run.model]
    grey = literal_line(" · ".join(filter(None, words)), _LONGEST, "$foreground 60%")
    return Content("\n").join([literal_line(run.name, _LONGEST, "bold"), grey])


def run_text(
    listed: RunSummary,
    width: int,
    now: RunProgress | None = None,
    spent: Usage | None = None,
    left: str = "",
) -> Content:
    """A run in lines, at a width in cells: its settings, how far it is, what it took, its parts, and more.

    ``now`` is its progress, ``spent`` what it took and ``left`` the time left if it is under way here.
    """
    run, progress = listed.run, now or listed.progress
    lines = [literal(line, "$foreground 60%") for line in _settings_lines(listed)]
    if len(lines) > 1:
        lines.append(Content(""))
    lines.append(literal(progress.sentence, "bold"))
    if spent is not None:
        lines.append(literal(spent_in_words(spent)))
    elif listed.calls.calls:
        lines.append(literal(_calls_in_words(listed.calls)))
    if words := left or run.why:
        lines.append(literal(words))
    if progress.parts:
        lines.append(Content(""))
    for part in progress.parts:
        lines += _part_lines(part, width)
    if progress.discarded:
        lines += [Content(""), literal("discarded", "bold $foreground 60%")]
        tried = progress.kept + sum(progress.discarded.values())
        most_first = sorted(progress.discarded.items(), key=lambda step: -step[1])
        lines += [_step_line(step, number, tried, width) for step, number in most_first]
    if run.procedure == "discover":
        lines += _round_lines(progress.table)
    if more := _more(run, progress):
        lines += [Content(""), literal(more, "$foreground 60%")]
    return Content("\n").join(lines)


def _settings_lines(listed: RunSummary) -> Iterator[str]:
    run = listed.run
    if run.keeps_outcomes:
        settings = evaluation_settings(run)
        cases = counted(listed.cases, "case") + settings.drawn_how
        yield f"{', '.join(settings.datasets)} · {cases} · {run.protocol}"
        yield " · ".join(f"{name}: {', '.join(values)}" for name, values in settings.conditions.items())
        yield f"{settings.repeats_in_words} · {run.created_by}"
        if settings.parameters_in_words:
            yield f"sent: {settings.parameters_in_words}"
    elif run.procedure == "generate":
        yield f"{run.model} · seed {run.seed} · order {run.settings['order']}"
    else:
        name = "discovery" if run.procedure == "discover" else run.procedure
        yield " · ".join(
            (name, *(f"{role} {model}" for role, model in run.roles.items()), f"seed {run.seed}")
        )
        yield " · ".join(f"{part} {dataset}" for part, dataset in run.material.items() if part in _PARTS)


def _more(run: Run, progress: RunProgress) -> str:
    """The commands that say more."""
    name = shlex.quote(run.name)
    if run.procedure == "discover":
        return (
            f"`reviewer candidates {name}` lists what was tried, `reviewer library {name}` what is known now."
        )
    if run.judged_study:
        return f"`reviewer judges {shlex.quote(run.judged_study)}` sets the judges against the raters."
    if run.procedure == REPAIR:
        return f"`{run.command}` lists its proposals, `reviewer outcomes list {name}` its replies."
    if progress.discarded:
        return f"`reviewer funnel {name}` counts the reasons, `reviewer candidates {name}` lists them."
    return "" if run.has_command else f"`{run.command}` prints what it found."


def _calls_in_words(kept: KeptCalls) -> str:
    """The calls of a run, their cost, and how many have no price."""
    without = f" and {counted(kept.unpriced, 'call')} without a price" if kept.unpriced else ""
    return f"{counted(kept.calls, 'call')}, cost {fixed(kept.cost, 4)}{without}"


def _part_lines(part: PartProgress, width: int) -> Iterator[Content]:
    """One part on one line, without numbers that do not fit; more lines show open cases and the reason."""
    counts = f" {part.done:>{len(f'{part.wanted:,}') + 1},} of {part.wanted:,}"
    tried = f"  {part.counts['tried']:>4} tried" if "tried" in part.counts else ""
    for more in (f"  {part.state:<8}" if part.state else "", tried):
        if _NAME + _LEAST_BAR + len(counts) + len(more) <= width:
            counts += more
    yield Content.assemble(_name(part.name), bar(part.done, part.wanted, _bar(width)), literal(counts))
    open_ends = [
        f"{part.counts[name]:,} {name}" for name in (UNREADABLE, MISSING, NOT_ASKED) if part.counts.get(name)
    ]
    if open_ends:
        yield literal("  " + " · ".join(open_ends), "$foreground 75%")
    if part.why:
        yield literal(f"  ✗ {part.why}")


def _round_lines(table: Table) -> Iterator[Content]:
    """The attempts of each round, and their results."""
    shown = None
    for number, kind, step, result, _, candidates in table.rows:
        if number != shown:
            shown = number
            yield from (Content(""), literal(f"round {number}", "bold $foreground 60%"))
        yield literal(f"{candidates:>7,}  " + f"{kind} · {step} · {result}".replace("_", " "))


def _step_line(step: str, number: int, tried: int, width: int) -> Content:
    """How many candidates were discarded at a step, as a share of all that were tried."""
    share = bar(number, tried, _bar(width))
    return Content.assemble(_name(step.replace("_", " ")), share, literal(f" {number:>3,}"))


def _bar(width: int) -> int:
    """The cells of a bar: the room beside name and numbers, within limits."""
    return max(_LEAST_BAR, min(_MOST_BAR, width - _NAME - _NUMBERS))


def _name(text: str) -> Content:
    return literal(f"{text[: _NAME - 1]:<{_NAME}}")
