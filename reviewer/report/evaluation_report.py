"""An evaluation run's report: what was asked, what conditions do to decisions, and how far this holds."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from shlex import quote
from typing import NamedTuple

from reviewer import __version__
from reviewer.core.estimate import NO_DATA
from reviewer.core.number_text import ASSUMED, percent, with_interval
from reviewer.core.sanitize import agreeing, counted
from reviewer.report.document import (
    Block,
    Commands,
    Document,
    Facts,
    Numbers,
    Paragraph,
    Picture,
    Points,
    Section,
    told_of,
    undefined_section,
)
from reviewer.report.evaluation_report_tables import ReportTable, evaluation_claims, report_tables
from reviewer.report.report_pages import CLAIMS_FILE, Figures, drawn, latex_table, markdown_table, page_files
from reviewer.results.labels.dimensions import ALL
from reviewer.results.outcomes.contrasts import shared_cases_in_words
from reviewer.results.outcomes.effect_estimates import AMONG
from reviewer.results.outcomes.effect_rows import COIN, MODEL
from reviewer.results.outcomes.effect_sentences import unproven_claims
from reviewer.results.outcomes.evaluated import MISSING, NOT_ASKED, Evaluation
from reviewer.results.outcomes.evaluation_statistics import EvaluationStatistics

_FIGURES = {
    "effects": (
        "Effects{intervals: with their intervals}, by model and group; a diamond stands for all cases of a "
        "model.{noise: Grey bars are noise: how often two runs of one and the same text differ.}"
    ),
    "directions": (
        "Changes either way, as shares of the runs compared: to the right what raises the first measure that "
        "can be negative, to the left what lowers it."
    ),
    "tiers": "Effects by tier, with the number of cases (n) in each. The lines only guide the eye.",
    "position": (
        "Effects by condition.{coin: A dotted line stands where a coin does.}{whole: Diamonds take all that "
        "was asked together.}"
    ),
    "ladder": "The same effects over different choices of cases.",
}
_ALTERNATIVE = "A figure; the table above has its numbers."
_LADDER = "Would the effect survive if only sound cases counted? Each row chooses its cases in another way"
_RUNGS = {
    "all ": "all",
    "audit-clean ": "those without a serious finding on which every check could run (audit-clean)",
    "strictly clean ": "audit-clean ones without a doubtful finding (strictly clean)",
    "passed ": "those that experts passed",
    "picked ": "those that were picked",
    "without ": "those that do not fail a check",
}
"""How a row is chosen, by how its name begins."""
_ANSWERERS = (
    "A coin takes {labels} equally often{others}. These values are exact, over the comparisons that the "
    "models answered. Where one of them is the value of a model, the measure cannot tell them apart."
)


_MEANINGS = {
    NO_DATA: "No two runs can be compared here: replies are unreadable, missing, or were not asked for."
}
_CLUSTERS = {
    "case": "cases",
    "family": "families of similar cases",
    "none": "single runs as if they were independent",
}


class SameNumbers(NamedTuple):
    """The commands that give a report's numbers again: the report, and, with a division, its effects."""

    report: str
    effects: str


def evaluation_document(
    statistics: EvaluationStatistics, tables: Mapping[str, ReportTable], commands: SameNumbers
) -> Document:
    """The report of an evaluation run as blocks; ``commands`` give its numbers again."""
    shown = {name: table.shown for name, table in tables.items()}
    return Document(
        f"Evaluation run “{statistics.evaluation.run.name}”",
        (
            *_summary(statistics),
            *_asked(statistics),
            *_replies(statistics, shown),
            *_effects(statistics, shown),
            *_tiers(statistics, shown),
            *_position(statistics, shown),
            Section("Answers without reading"),
            Paragraph(answerers_in_words(statistics.evaluation)),
            *_parts(shown, "answerers"),
            *_ladder(statistics, shown),
            *_models(statistics.evaluation, shown),
            *_judged_answers(statistics, shown),
            *_undefined(statistics),
            *_again(statistics, commands),
        ),
    )


_Shown = Mapping[str, Numbers]


def _judged_answers(statistics: EvaluationStatistics, shown: _Shown) -> Iterable[Block]:
    """What experts found in answers of the run, if they judged some."""
    if not statistics.answers:
        return ()
    from reviewer.report.answers_section import answer_sections  # needs most of what reads labels

    return answer_sections(statistics.answers, shown)


def answerers_in_words(evaluation: Evaluation) -> str:
    """How those answer who do not read."""
    others = "; the others follow a fixed rule and do not read the text" if evaluation.plan.answerers else ""
    guesses = {case.guesses for case in evaluation.cases if case.guesses not in ((), case.labels)}
    thrown = " and ".join(guesses.pop()) if len(guesses) == 1 else "every label"
    return _ANSWERERS.format(labels=thrown, others=others)


def _drawn_facts(statistics: EvaluationStatistics) -> Mapping[str, bool]:
    """What the figure of effects draws besides values."""
    rows, measures = statistics.groups.rows, statistics.headlines
    estimates = (row.effects[measure.key].estimate for row in rows for measure in measures)
    on_scale = any(measure.over and measure.least == 0 and measure.most == 1 for measure in measures)
    return {
        "intervals": any(estimate.shown_interval for estimate in estimates),
        "noise": on_scale and any(row.noise.value is not None for row in rows),
    }


def _parts(shown: _Shown, *names: str, facts: Mapping[str, bool] | None = None) -> list[Block]:
    """Tables and figures by name, where there are any: each table, then the figure of its name."""
    blocks: list[Block] = []
    for name in names:
        blocks += [shown[name]] if name in shown else []
        if name in _FIGURES:
            blocks.append(Picture(name, told_of(_FIGURES[name], facts or {}), _ALTERNATIVE))
    return blocks


def _summary(statistics: EvaluationStatistics) -> list[Block]:
    evaluation = statistics.evaluation
    heads = []
    for row in statistics.whole.rows:
        estimates = {measure.title: row.effects[measure.key].estimate for measure in statistics.headlines}
        values = [
            f"{title} {with_interval(estimate, statistics.digits) or 'undefined'}"
            for title, estimate in estimates.items()
        ]
        heads.append(f"{row.where[MODEL]}: {', '.join(values)}.")
    return [Paragraph(run_in_words(evaluation)), Points(tuple(heads))]


def run_in_words(evaluation: Evaluation) -> str:
    """What the run asks, and what of it was not asked or has no reply."""
    labels = evaluation.labels.values()
    left_out = any((held == NOT_ASKED).any() for held in labels)
    missing = sum(int((held == MISSING).sum()) for held in labels)
    return (
        f"The run asks {counted(len(evaluation.models), 'model')} about "
        f"{counted(len(evaluation.cases), 'case')} under "
        f"{counted(len(evaluation.conditions), 'condition')}, {counted(evaluation.repeats, 'time')} each."
        + (" It does not ask every model about every case under every condition." if left_out else "")
        + (f" {missing:,} {agreeing(missing, 'reply is', 'replies are')} missing." if missing else "")
    )


def _asked(statistics: EvaluationStatistics) -> list[Block]:
    evaluation, settings = statistics.evaluation, statistics.evaluation.settings
    run = evaluation.run
    facts = {
        "Protocol": evaluation.protocol.title,
        "Datasets": ", ".join(settings.datasets),
        "Sample": f"{counted(len(evaluation.cases), 'case')}{settings.drawn_how}; frozen on "
        f"{run.started_at[:10]} by {run.created_by}",
        **{name.capitalize(): ", ".join(values) for name, values in settings.conditions.items()},
        "How often": settings.repeats_in_words,
        "Parameters": settings.parameters_in_words,
        "Models": ", ".join(evaluation.models),
        "Reader of answers": evaluation.readers_in_words,
        "Prompts (SHA-256)": ", ".join(_digest(name, text) for name, text in settings.prompts.items()),
    }
    measures = [(measure.title, (measure.meaning,)) for measure in statistics.whole.measures]
    return [
        Section("What was asked"),
        Facts(tuple((name, (value,)) for name, value in facts.items() if value)),
        Section("What was measured", 2),
        Facts(tuple(measures)),
    ]


def _digest(name: str, text: str) -> str:
    return f"{name} {hashlib.sha256(text.encode()).hexdigest()}"


def _replies(statistics: EvaluationStatistics, shown: _Shown) -> list[Block]:
    evaluation = statistics.evaluation
    read = sum(int((labels >= 0).sum()) for labels in evaluation.labels.values())
    asked = sum(int((labels != NOT_ASKED).sum()) for labels in evaluation.labels.values())
    stale = [f"Replaced since the run began: {case.dataset} {case.key}." for case in evaluation.stale]
    labelled = f"{read:,} of {counted(asked, 'outcome')} {agreeing(read, 'has', 'have')} a label"
    text = f"{labelled}."
    if counting := [measure.title for measure in evaluation.plan.measures if measure.unread_as is not None]:
        text += f" These measures count a reply that cannot be read as no answer: {', '.join(counting)}."
        text += f" All other measures leave it out. {ASSUMED} marks values to which such replies contribute."
    else:
        text += " No table takes another one for an answer."
    return [Section("Replies"), Paragraph(text), *_parts(shown, "replies", "bounds"), Points(tuple(stale))]


def _effects(statistics: EvaluationStatistics, shown: _Shown) -> list[Block]:
    table, method = statistics.groups, statistics.groups.method
    over = _CLUSTERS.get(table.clusters, f"cases, those that share a {table.clusters} together")
    how = (
        f"comes from {method.resamples:,} resamples of {over} (seed {method.seed})"
        if method.interval == "bootstrap"
        else f"comes from the linearised error over {over}"
    )
    return [
        Section("Effects"),
        Paragraph(f"Every interval has the level {percent(method.level, None)} and {how}."),
        *_parts(shown, "effects", "directions", facts=_drawn_facts(statistics)),
        Points((*unproven_claims(statistics.whole), *table.sentences)),
        *_parts(shown, "others"),
    ]


def _tiers(statistics: EvaluationStatistics, shown: _Shown) -> list[Block]:
    if statistics.quartiles is None:
        return []
    low, middle, high = statistics.quartiles.ends
    text = (
        f"Tiers are quartiles of {statistics.quartiles.measurement.replace('_', ' ')} over all cases of the "
        f"datasets: low is at most {low}, mid-low at most {middle}, mid-high at most {high}, and high "
        "is above."
    )
    return [Section("Tiers"), Paragraph(text), *_parts(shown, "tiers", "tier-differences")]


def _position(statistics: EvaluationStatistics, shown: _Shown) -> list[Block]:
    rows, measures = statistics.conditions.rows, statistics.by_condition
    facts = {
        "coin": any(row.effects[measure.key].nulls[COIN] is not None for row in rows for measure in measures),
        "whole": any(ALL in row.where.values() for row in rows),
    }
    return [Section("Position and other conditions"), *_parts(shown, "position", facts=facts)]


def ladder_in_words(names: Iterable[str]) -> str:
    """How the rows of these names choose their cases."""
    known = dict.fromkeys(
        words for name in names for begin, words in _RUNGS.items() if f"{name} ".startswith(begin)
    )
    return f"{_LADDER}: {'; '.join(known)}." if known else f"{_LADDER}."


def _ladder(statistics: EvaluationStatistics, shown: _Shown) -> list[Block]:
    if "ladder" not in shown:
        return []
    lead = Paragraph(ladder_in_words(row.where[AMONG] for row in statistics.ladder.rows))
    return [Section("Over which cases"), lead, *_parts(shown, "ladder"), Points(statistics.notes)]


def _models(evaluation: Evaluation, shown: _Shown) -> list[Block]:
    text = (
        "Every two models are compared case by case, so cases that both find hard do not widen the interval."
    )
    if apart := shared_cases_in_words(evaluation, evaluation.models):
        text += f" {apart}"
    shown_table = [shown["models"]] if "models" in shown else []
    return [Section("Models compared"), Paragraph(text), *shown_table] if apart or shown_table else []


def _undefined(statistics: EvaluationStatistics) -> list[Block]:
    tables = statistics.groups, statistics.tiers, statistics.conditions, statistics.ladder
    places: dict[str, list[str]] = {}
    for row in (row for table in tables for row in table.rows):
        for effect in row.effects.values():
            if reason := effect.estimate.reason:
                at = " · ".join((effect.measure.title, *row.where.values()))
                places.setdefault(reason, []).append(at)
        if row.noise.reason:
            places.setdefault(row.noise.reason, []).append(" · ".join(("noise", *row.where.values())))
    if not places:
        return []
    once = statistics.evaluation.repeats == 1

    def means(reason: str, at: Sequence[str]) -> str:
        of_noise = once and any(place.startswith("noise") for place in at)
        meaning = _MEANINGS.get(reason, f"There is no value: {reason}.")
        return f"{meaning}{' Noise needs two runs of one text.' if of_noise else ''}"

    return undefined_section(places, means)


def _again(statistics: EvaluationStatistics, commands: SameNumbers) -> list[Block]:
    name = quote(statistics.evaluation.run.name)
    text = (
        f"dilemma-reviewer {__version__} made this report. The same outcomes and options give the same "
        "files, byte for byte. The folder tables beside this page has every table as CSV, JSON, Markdown and "
        "LaTeX. The last command writes every outcome with a codebook."
    )
    effects = f"reviewer {commands.effects} --by model,group --format csv"
    lines = (commands.report, effects, f"reviewer outcomes export {name} -o exports/{name}")
    return [Section("How to compute this again"), Paragraph(text), Commands(lines)]


def evaluation_files(
    statistics: EvaluationStatistics, commands: SameNumbers, *, with_figures: bool = True
) -> dict[str, str | bytes]:
    """Every file by its path in the report's folder; ``commands`` give the numbers of its tables again.

    Raises RequestError where matplotlib is missing.
    """

    def draw() -> Figures:
        from reviewer.figures.files import evaluation_figures  # matplotlib costs a second to load

        return evaluation_figures(
            statistics.headlines,
            statistics.by_condition,
            groups=statistics.groups,
            tiers=statistics.tiers,
            conditions=statistics.conditions,
            ladder=statistics.ladder,
        )

    tables = report_tables(statistics)
    document = evaluation_document(statistics, tables, commands)
    files = page_files(document, drawn(draw) if with_figures else {})
    files[CLAIMS_FILE] = evaluation_claims(statistics, commands.effects)
    for name, table in tables.items():
        files |= {f"tables/{name}.{form}": text for form, text in _table_files(table).items()}
    return files


def _table_files(table: ReportTable) -> dict[str, str]:
    """One table in four formats: exact for programs, as in the report for people."""
    shown = table.shown
    latex = latex_table(shown.table, shown.caption, f"tab:{shown.name}", shown.notes, keys=shown.keys)
    return {
        "csv": table.exact.to_csv(),
        "json": table.exact.to_json(),
        "md": markdown_table(shown.table),
        "tex": latex,
    }
