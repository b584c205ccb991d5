"""The text of the evaluations screen about a run, and where there is no run yet."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from reviewer.core.number_text import fixed
from reviewer.core.sanitize import counted
from reviewer.llm.usage import Usage
from reviewer.runs.evaluation.evaluation_progress import EvaluationProgress, ModelProgress
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.runs.generation.progress_text import spent_in_words
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.widgets.bar import bar
from reviewer.tui.widgets.key_hints import hint

if TYPE_CHECKING:
    from reviewer.tui.screens.evaluation_work import ListedEvaluation

_LONGEST = 60
_NAME, _NUMBERS = 23, 30
_LEAST_BAR, _MOST_BAR = 8, 20


def no_evaluation_yet(keys: Mapping[str, str]) -> Content:
    """What a run is, which key starts one, and what it needs."""
    lines = [
        Content.styled("No evaluation yet", "bold $foreground"),
        literal("In a run, cases are put to models under conditions, several times. Every answer"),
        literal("is kept and read; the effects say how often and which way decisions change."),
        Content(""),
        hint(keys["evaluations.new"], "starts one; you can stop and resume it at any time"),
        Content(""),
        literal("It needs a dataset and a model that can be reached (`reviewer models try MODEL`)."),
        literal("Outcomes of others come in with `reviewer outcomes import`."),
    ]
    return Content("\n").join(lines)


def evaluation_item(listed: "ListedEvaluation") -> Content:
    """Two lines: the run's name; how far it is."""
    progress = listed.progress
    share = progress.done / max(1, progress.planned)
    # Rounded down: only a finished run has everything.
    sign = "✓ finished" if progress.is_finished else f"● open · {int(100 * share)}%"
    summary = f"{sign} · {counted(len(progress.models), 'model')}"
    return Content("\n").join(
        [literal_line(listed.run.name, _LONGEST, "bold"), literal_line(summary, _LONGEST, "$foreground 60%")]
    )


def evaluation_text(
    listed: "ListedEvaluation",
    progress: EvaluationProgress,
    width: int,
    spent: Usage | None = None,
    left: str = "",
) -> Content:
    """The run in lines: what is put to models, how far each model is, what it cost."""
    lines = [literal(line, "$foreground 60%") for line in _settings_lines(listed)]
    lines += [Content(""), literal(progress.sentence, "bold")]
    if spent is not None:
        lines += [literal(spent_in_words(spent)), literal(left)] if left else [literal(spent_in_words(spent))]
    elif listed.kept.calls:
        lines.append(literal(_calls_in_words(listed)))
    lines.append(Content(""))
    for model in progress.models:
        lines += _model_lines(model, width)
    return Content("\n").join(lines)


def _calls_in_words(listed: "ListedEvaluation") -> str:
    kept = listed.kept
    without = f" and {counted(kept.unpriced, 'call')} without a price" if kept.unpriced else ""
    return f"{counted(kept.calls, 'call')}, cost {fixed(kept.cost, 4)}{without}"


def _settings_lines(listed: "ListedEvaluation") -> Iterator[str]:
    settings = evaluation_settings(listed.run)
    cases = counted(listed.cases, "case") + settings.drawn_how
    yield f"{', '.join(settings.datasets)} · {cases} · {listed.run.protocol}"
    asked = (f"{name}: {', '.join(values)}" for name, values in settings.conditions.items())
    yield " · ".join(asked)
    yield f"{settings.repeats_in_words} · {listed.run.created_by}"
    if settings.parameters_in_words:
        yield f"sent: {settings.parameters_in_words}"


def _model_lines(model: ModelProgress, width: int) -> Iterator[Content]:
    """One model on one line, with a second one where something needs to be said."""
    room = max(_LEAST_BAR, min(_MOST_BAR, width - _NAME - _NUMBERS))
    counts = f" {model.done:>7,} of {model.planned:,}"
    yield Content.assemble(
        literal(f"{model.model[: _NAME - 1]:<{_NAME}}"), bar(model.done, model.planned, room), literal(counts)
    )
    open_ends = {
        "unreadable": model.unreadable,
        "missing": model.missing,
        "not asked": model.not_asked,
    }
    if said := [f"{number:,} {words}" for words, number in open_ends.items() if number]:
        yield literal("  " + " · ".join(said), "$foreground 75%")
    if model.why:
        yield literal(f"  ✗ {model.why}")
