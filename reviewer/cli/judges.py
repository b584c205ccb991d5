"""``reviewer judges``: opinions on a question against what people answered."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import click

from reviewer.cli.options import open_store, store_option
from reviewer.cli.result_options import (
    Printed,
    ResultFormat,
    digits_option,
    interval_options,
    label_rule_option,
    level_option,
    print_tables,
    result_format_option,
    weights_option,
)
from reviewer.cli.study_events import study_with_events
from reviewer.cli.viewer import is_packed
from reviewer.core.errors import RequestError
from reviewer.report.opinions import undefined_opinions
from reviewer.report.undefined_reasons import meaning
from reviewer.results.labels.agreement_results import IntervalKind, Method
from reviewer.results.labels.coefficient_choice import LabelWeights
from reviewer.results.labels.final_labels import LabelRule, final_labels
from reviewer.results.labels.judges import JUDGE_DIMENSIONS, JudgeResult, judge_results
from reviewer.results.labels.known_labels import KnownLabelAccuracy, known_label_accuracy
from reviewer.results.tables.judge_tables import (
    beside_raters,
    beside_raters_spec,
    confusion_counts,
    confusion_matrix_spec,
    confusion_spec,
    judges_spec,
    known_labels_spec,
    matrix_rows,
)
from reviewer.study.design.closing import late_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import why_not_judges
from reviewer.study.session.rater_progress import progress_of

JudgeTable = Literal["final", "confusion", "raters"]


@click.command("judges", epilog="Example: reviewer judges pilot --raters --format csv")
@click.argument("name", metavar="STUDY")
@click.option(
    "--by",
    default="group",
    show_default=True,
    metavar="LIST",
    help=f"Divide by any of {', '.join(JUDGE_DIMENSIONS)}, separated by commas; '' for one row per opinion.",
)
@click.option(
    "--final",
    "shown",
    flag_value="final",
    default=True,
    help="Compare opinions with the final labels (the default).",
)
@click.option(
    "--confusion",
    "shown",
    flag_value="confusion",
    help="Count cases by the label of the opinion and the final label.",
)
@click.option(
    "--raters",
    "shown",
    flag_value="raters",
    help="Compare opinions with each rater, and with how the raters agree with each other.",
)
@click.option(
    "--known",
    metavar="VALUE",
    help="Compare opinions and raters with the right labels, which this published value holds.",
)
@label_rule_option
@weights_option
@interval_options
@level_option
@digits_option
@result_format_option
@store_option
def judges_command(
    name: str,
    by: str,
    shown: JudgeTable,
    known: str | None,
    rule: LabelRule,
    weights: LabelWeights,
    interval: IntervalKind,
    seed: int | None,
    resamples: int,
    level: float,
    digits: int,
    form: ResultFormat,
    store: str,
) -> None:
    """Compare the opinions of models, or other published or measured answers, with the raters' labels.

    An opinion is a published or measured value, such as a model's verdict, that the protocol declares to be
    an answer to a question. Cases without the value abstain. Raters must not see opinions before they answer,
    so the command refuses while somebody has not finished.
    """
    database = open_store(store, must_exist=True)
    if reason := why_not_judges(progress_of(database, name), in_pack=is_packed(database, name)):
        raise RequestError(reason)
    bundle, events = study_with_events(store, name)
    dimensions = tuple(part.strip() for part in by.split(",") if part.strip())
    method = Method(interval=interval, level=level, seed=seed, resamples=resamples, weights=weights)
    finals, with_raters = final_labels(bundle, events, rule), shown == "raters"
    late = [*late_in_words(bundle, events), *left_out_in_words(bundle)]
    if known is not None:
        if shown != "final":
            raise RequestError(f"--known prints a table of its own; leave out --{shown}.")
        rows = known_label_accuracy(bundle, finals, known, dimensions, method)
        print_tables(form, replace(_against_known(rows, dimensions, digits), remarks=late), name)
        return
    results = judge_results(bundle, finals, dimensions, method, with_raters=with_raters)
    if not results:
        raise RequestError(_why_none(bundle))
    makers = {"confusion": _confusion, "raters": _raters}
    printed = makers.get(shown, _final)(results, dimensions, digits)
    undefined = [] if shown == "confusion" else _undefined(results)
    print_tables(form, replace(printed, remarks=[*undefined, *late]), name)


def _why_none(bundle: StudyBundle) -> str:
    asked = {question.key for question in bundle.questions if question.kind != "text"}
    declared = [opinion.name for opinion in bundle.protocol.opinions if opinion.question in asked]
    if not declared:
        return (
            f"{bundle.protocol.title} declares no value to be an opinion on a question of this study; in a "
            "protocol's file, `opinion_on` and `labels` of a published value do so."
        )
    return f"no case of the study has an opinion: {', '.join(declared)} was published with none of them."


def _undefined(results: Sequence[JudgeResult]) -> list[str]:
    """What each reason for a dash means."""
    reasons = dict.fromkeys(reason for reason, _ in undefined_opinions(results))
    return [f"Undefined ({reason}): {meaning(reason)}" for reason in reasons]


def _final(results: Sequence[JudgeResult], by: tuple[str, ...], digits: int) -> Printed:
    spec = judges_spec(by, results)
    table = spec.for_people(results, digits)
    notes = [spec.legend(results)]
    caption = "Opinions against final labels"
    return Printed(spec.for_programs(results), table, [table], notes, caption, keys=spec.keys)


def _against_known(rows: Sequence[KnownLabelAccuracy], by: tuple[str, ...], digits: int) -> Printed:
    spec = known_labels_spec(by)
    table = spec.for_people(rows, digits)
    caption = "Opinions and raters against known labels"
    return Printed(spec.for_programs(rows), table, [table], [spec.legend(rows)], caption, keys=spec.keys)


def _confusion(results: Sequence[JudgeResult], by: tuple[str, ...], digits: int) -> Printed:
    """Matrices for a terminal; a row for each cell for programs and pages."""
    spec, counts = confusion_spec(by), confusion_counts(results)
    whole = [result for result in results if result.whole]
    matrices = [confusion_matrix_spec(result) for result in whole]
    terminal = [
        matrix.for_people(matrix_rows(result), digits) for matrix, result in zip(matrices, whole, strict=True)
    ]
    notes = ["Rows: what the opinion says, and abstentions. Columns: final labels."]
    page = spec.for_people([count for count in counts if count.items], digits)
    caption = "Labels of opinions by final label"
    return Printed(spec.for_programs(counts), page, terminal, notes, caption, keys=spec.keys)


def _raters(results: Sequence[JudgeResult], by: tuple[str, ...], digits: int) -> Printed:
    spec, rows = beside_raters_spec(by, results), beside_raters(results)
    table = spec.for_people(rows, digits)
    notes = [spec.legend(rows)]
    return Printed(spec.for_programs(rows), table, [table], notes, "Opinions beside raters", keys=spec.keys)
