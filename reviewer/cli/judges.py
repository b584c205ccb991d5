"""``reviewer judges``: opinions on a question against what people answered."""

from collections.abc import Sequence
from dataclasses import replace

from reviewer.cli.options import open_store
from reviewer.cli.result_options import (
    Printed,
    print_tables,
)
from reviewer.cli.study_events import study_with_events
from reviewer.cli.viewer import is_packed
from reviewer.core.errors import RequestError
from reviewer.options.judges import JudgesOptions
from reviewer.report.opinions import undefined_opinions
from reviewer.report.undefined_reasons import meaning
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.final_labels import final_labels
from reviewer.results.labels.judges import JudgeResult, judge_results
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


def judges_command(options: JudgesOptions) -> None:
    """Carry out ``reviewer judges``."""
    database = open_store(options.store, must_exist=True)
    if reason := why_not_judges(
        progress_of(database, options.name), in_pack=is_packed(database, options.name)
    ):
        raise RequestError(reason)
    bundle, events = study_with_events(options.store, options.name)
    dimensions = options.by
    method = Method(
        interval=options.interval,
        level=options.level,
        seed=options.seed,
        resamples=options.resamples,
        weights=options.weights,
    )
    finals, with_raters = final_labels(bundle, events, options.rule), options.shown == "raters"
    late = [*late_in_words(bundle, events), *left_out_in_words(bundle)]
    if options.known is not None:
        if options.shown != "final":
            raise RequestError(f"--known prints a table of its own; leave out --{options.shown}.")
        rows = known_label_accuracy(bundle, finals, options.known, dimensions, method)
        print_tables(
            options.form,
            replace(_against_known(rows, dimensions, options.digits), remarks=late),
            options.name,
        )
        return
    results = judge_results(bundle, finals, dimensions, method, with_raters=with_raters)
    if not results:
        raise RequestError(_why_none(bundle))
    makers = {"confusion": _confusion, "raters": _raters}
    printed = makers.get(options.shown, _final)(results, dimensions, options.digits)
    undefined = [] if options.shown == "confusion" else _undefined(results)
    print_tables(options.form, replace(printed, remarks=[*undefined, *late]), options.name)


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
