"""What the generation screen says about a run, and where there is none yet."""

import shlex
from collections.abc import Mapping

from textual.content import Content

from reviewer.llm.usage import Usage
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
    """What a run is, which key begins one, and what it needs."""
    lines = [
        Content.styled("No run yet", "bold $foreground"),
        literal("In a run a language model grows the seed cases into a dataset. What passes"),
        literal("every check is kept; what does not is kept apart, with the reason."),
        Content(""),
        hint(keys["generation.new"], "begins one; it stops and carries on at any time"),
        Content(""),
        literal("It needs a model that can be reached (`reviewer models try MODEL`), SWI-Prolog"),
        literal("(`reviewer oracle doctor`) and pip install 'dilemma-reviewer[similarity]'."),
    ]
    return Content("\n").join(lines)


def run_item(run: Run, standing: RunProgress) -> Content:
    """Two lines: its name; how far it is, and which model writes it."""
    sign = "✓ finished" if run.state == "finished" else "● open"
    told = f"{sign} · {standing.valid:,} valid · {run.model}"
    return Content("\n").join(
        [literal_line(run.name, _LONGEST, "bold"), literal_line(told, _LONGEST, "$foreground 60%")]
    )


def run_text(
    run: Run, standing: RunProgress, width: int, spent: Usage | None = None, left: str = ""
) -> Content:
    """The run in lines: what it is, each group, the funnel, what was spent, how long it takes."""
    head = f"{run.model} · seed {run.seed} · order {run.settings['order']}"
    lines = [literal(head, "$foreground 60%"), literal(sentence_of(standing), "bold")]
    if spent is not None:
        lines += [literal(spent_in_words(spent)), literal(left)]
    elif run.why:
        lines.append(literal(run.why))
    lines += [Content(""), *(_group_line(group, width) for group in standing.groups)]
    if standing.discarded:
        lines += [Content(""), literal("discarded", "bold $foreground 60%")]
        most_first = sorted(standing.discarded.items(), key=lambda found: -found[1])
        lines += [_step_line(step, number, standing.tried, width) for step, number in most_first]
        name = shlex.quote(run.name)
        more = f"`reviewer funnel {name}` counts the reasons, `reviewer candidates {name}` lists them."
        lines += [Content(""), literal(more, "$foreground 60%")]
    return Content("\n").join(lines)


def _group_line(group: GroupProgress, width: int) -> Content:
    """One group on one line; what does not fit is left out."""
    told = f" {group.valid:>{len(str(group.target)) + 1}} of {group.target}"
    for more in (f"  {state_of(group):<8}", f"  {group.tried:>4} tried"):
        if _NAME + _LEAST_BAR + len(told) + len(more) <= width:
            told += more
    return Content.assemble(_name(group.group), bar(group.valid, group.target, _bar(width)), literal(told))


def _step_line(step: str, number: int, tried: int, width: int) -> Content:
    """How many candidates ended at a step, as a share of all that were tried."""
    share = bar(number, tried, _bar(width))
    return Content.assemble(_name(step.replace("_", " ")), share, literal(f" {number:>3,}"))


def _bar(width: int) -> int:
    """The cells of a bar: what name and numbers leave, within limits."""
    return max(_LEAST_BAR, min(_MOST_BAR, width - _NAME - _NUMBERS))


def _name(text: str) -> Content:
    return literal(f"{text[: _NAME - 1]:<{_NAME}}")
