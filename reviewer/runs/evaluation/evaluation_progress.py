"""The progress of an evaluation run, by model."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod

from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.protocols.answer_schema import schema_answer
from reviewer.runs.engine.run_progress import PartProgress, RunProgress
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from store.database import Database
from store.evaluations import Evaluations
from store.records import OutcomeState, Run

READ, UNREADABLE, MISSING, NOT_ASKED = "read", "unreadable", "missing", "not asked"
"""What is counted of the outcomes of a model."""
_COLUMNS = ("model", "planned", READ, UNREADABLE, MISSING, NOT_ASKED, "note")

OutcomeCounts = Counter[tuple[str, OutcomeState]]
"""Numbers of outcomes by model and state."""


def evaluation_progress(
    models: Sequence[str],
    planned: int,
    counts: OutcomeCounts,
    failed: Mapping[str, str] | None = None,
    processes: int = 1,
) -> RunProgress:
    """The progress from numbers of outcomes; ``planned`` are those of each model, ``failed`` says why."""
    parts = tuple(_part(model, planned, counts, (failed or {}).get(model, "")) for model in models)
    done, wanted = sum(part.done for part in parts), planned * len(parts)
    totals = {name: sum(part.counts[name] for part in parts) for name in (READ, UNREADABLE, NOT_ASKED)}
    beside = ", ".join(f"{totals[name]:,} {name}" for name in (UNREADABLE, NOT_ASKED) if totals[name])
    together = f" {processes:,} processes take part." if processes > 1 else ""
    return RunProgress(
        f"{done:,} of {counted(wanted, 'outcome')}{f' ({beside})' if beside else ''}.{together}",
        totals[READ],
        wanted - done,
        Table.of(_COLUMNS, [(p.name, p.wanted, *p.counts.values(), p.why) for p in parts]),
        parts,
        failed=tuple(_missing_in_words(part) for part in parts if part.why and part.counts[MISSING]),
    )


def _part(model: str, planned: int, counts: OutcomeCounts, why: str) -> PartProgress:
    read, unreadable, missing, not_asked = (
        counts[model, "read"],
        counts[model, "unreadable"],
        counts[model, "missing"],
        counts[model, "not_asked"],
    )
    by_state = {READ: read, UNREADABLE: unreadable, MISSING: missing, NOT_ASKED: not_asked}
    return PartProgress(model, read + unreadable + not_asked, planned, by_state, why=why)


def _missing_in_words(model: PartProgress) -> str:
    """What a model that failed leaves missing."""
    missing = model.counts[MISSING]
    return (
        f"{model.name}: {counted(missing, 'outcome')} {agreeing(missing, 'is', 'are')} missing, "
        f"because {model.why}"
    )


def kept_outcomes(evaluations: Evaluations, run: str) -> OutcomeCounts:
    """The outcomes of a run in the store, counted."""
    counts = OutcomeCounts()
    for count in evaluations.counts(run):
        counts[count.model, count.state] = count.outcomes
    return counts


def kept_evaluation(evaluations: Evaluations, run: Run, cases: int) -> RunProgress:
    """How far a run with all its models is, according to the store; ``cases`` is the size of its sample."""
    settings = evaluation_settings(run)
    planned = cases * prod(map(len, settings.conditions.values())) * settings.repeats
    models = [role.model for role in evaluations.models(run.name)]
    models = models or [run.machine_rater] * bool(run.machine_rater)  # declared, and not asked yet
    return evaluation_progress(models, planned, kept_outcomes(evaluations, run.name))


def ignored_schema(database: Database, name: str) -> str:
    """A sentence on replies that do not keep to the schema that servers were asked for; "" if all do."""
    evaluations = Evaluations(database)
    if evaluation_settings(evaluations.with_outcomes(name)).answers_as != "schema":
        return ""
    replies = Counter[tuple[str, bool]]()
    for outcome in evaluations.outcomes(name):
        if outcome.reply:
            replies[outcome.model, schema_answer(outcome.reply) is not None] += 1
    ignoring = [
        f"{number:,} of {number + replies[model, True]:,} of {model}"
        for (model, kept), number in sorted(replies.items())
        if not kept
    ]
    if not ignoring:
        return ""
    return (
        f"Replies that do not keep to the schema, which were read as text: {', '.join(ignoring)}. "
        "The server ignores response_format, or cut them off."
    )
