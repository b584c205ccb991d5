"""``reviewer judges``: opinions on questions against what people answered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path

from reviewer.cli.printing import Printed, declared_tables, print_tables
from reviewer.cli.store_access import open_store
from reviewer.cli.viewed_study import study_with_events
from reviewer.cli.viewer import check_opinions, viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.options.judges import JudgesOptions
from reviewer.protocols.base import Value
from reviewer.protocols.registry import protocols_of
from reviewer.report.opinions import undefined_opinions, why_no_opinion
from reviewer.report.undefined_reasons import undefined_in_words
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.anchoring import anchoring
from reviewer.results.labels.answer_shares import answers_of_same_cases
from reviewer.results.labels.asked_judges import AskedJudge, asked_judges
from reviewer.results.labels.awareness import awareness, awareness_in_words
from reviewer.results.labels.final_labels import FinalLabel, final_labels
from reviewer.results.labels.judge_rejections import rejections, unfitting_tables
from reviewer.results.labels.judge_results import (
    JudgedItem,
    JudgeResult,
    constant_in_words,
    has_opinion,
    judge_results,
    judged_items,
    varying,
)
from reviewer.results.labels.judged_answers import answers_of_judges, population_of_labels, shares_of_labels
from reviewer.results.labels.judged_shares import savings_in_words, share_estimates
from reviewer.results.labels.judges_by_label import (
    confirmed_votes,
    judge_differences,
    judges_by_label,
    left_out_raters,
    opinions_as_raters,
)
from reviewer.results.labels.known_labels import known_label_accuracy
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.results.tables.judge_share_tables import (
    REJECTIONS,
    awareness_spec,
    confirmed_votes_spec,
    judge_differences_spec,
    judged_shares_spec,
    judges_by_label_spec,
    left_out_raters_spec,
)
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
from reviewer.results.tables.second_verdict_tables import ANCHORING
from reviewer.study.design.closing import late_in_words
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.blinding import is_packed, why_not_judges
from reviewer.study.session.label_rows import label_rows
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.records import Event


def judges_command(options: JudgesOptions) -> None:
    """``reviewer judges``: opinions on a question against what people answered."""
    database = open_store(options.store)
    if reason := why_not_judges(
        progress_of(database, options.name), in_pack=is_packed(database, options.name)
    ):
        raise RequestError(reason)
    check_opinions(database, options.name)
    bundle, events = study_with_events(options.store, options.name)
    finals = final_labels(bundle, events, options.rule)
    compared = _Compared(database, bundle, events, finals, options)
    if options.known is not None:
        printed = _known(compared, options.known)
    elif options.published:
        printed = _published(compared, options.published)
    else:
        printed = _MAKERS[options.shown](compared)
    apart = filter(None, [answers_of_same_cases(bundle)])
    late = [*apart, *late_in_words(bundle, events), *left_out_in_words(bundle)]
    print_tables(options.form, printed._replace(remarks=[*printed.remarks, *late]), options.name)


Items = Sequence[tuple[Value, Sequence[JudgedItem]]]
"""The items of each opinion."""


@dataclass(frozen=True)
class _Compared:
    """A study with its events and final labels, to compare opinions with labels."""

    database: Database
    bundle: StudyBundle
    events: Sequence[Event]
    finals: Sequence[FinalLabel]
    options: JudgesOptions

    @property
    def by(self) -> tuple[str, ...]:
        return self.options.dimensions

    @cached_property
    def method(self) -> Method:
        return self.options.method(weights=self.options.weights).seeded(self.bundle.study.seed)

    @cached_property
    def asked(self) -> Sequence[AskedJudge]:
        return asked_judges(self.database, self.options.name)

    @cached_property
    def items(self) -> Items:
        """The items of each opinion that any case has; raises RequestError without any."""
        judged = [
            (opinion, items)
            for opinion, items in judged_items(self.bundle, self.finals, self.asked)
            if has_opinion(items)
        ]
        if not judged:
            raise RequestError(why_no_opinion(self.bundle))
        return judged

    @cached_property
    def whole(self) -> list[JudgeResult]:
        """Every opinion on all items, without intervals."""
        return judge_results(self.bundle, self.finals, (), Method(interval="none"), asked=self.asked)

    @property
    def varying_items(self) -> Items:
        """The same without opinions that never vary."""
        varied = {(result.opinion.name, result.question.key) for result in varying(self.whole)}
        return [each for each in self.items if (each[0].name, each[0].question) in varied]

    def results(self, *, with_raters: bool = False) -> list[JudgeResult]:
        results = judge_results(
            self.bundle, self.finals, self.by, self.method, with_raters=with_raters, asked=self.asked
        )
        if not results:
            raise RequestError(why_no_opinion(self.bundle))
        return results


def _known(compared: _Compared, value: str) -> Printed:
    if compared.options.shown != "final":
        raise RequestError(f"--known prints a table of its own; leave out --{compared.options.shown}.")
    rows = known_label_accuracy(compared.bundle, compared.finals, value, compared.by, compared.method)
    caption = "Opinions and raters against known labels"
    return declared_tables(known_labels_spec(compared.by), rows, caption, compared.options)


_MOST_BYTES = 1024 * 1024


def _published(compared: _Compared, files: Sequence[Path]) -> Printed:
    """Next to published tables; raises InputError for a file that is none."""
    options, bundle = compared.options, compared.bundle
    if options.shown != "final":
        raise RequestError(f"--published prints a table of its own; leave out --{options.shown}.")
    tables = [
        bundle.protocol.judge_table(
            read_source_text(file, repr(one_line(file.name)), _MOST_BYTES, "give a file"), one_line(file.name)
        )
        for file in files
    ]
    rows = rejections(compared.database, bundle, tables, compared.asked, options.level)
    printed = declared_tables(REJECTIONS, rows, "Cases that judges reject", options)
    unfitting = unfitting_tables(compared.database, bundle, tables)
    return printed._replace(remarks=[*printed.remarks, *unfitting])


def _remarks(results: Sequence[JudgeResult]) -> list[str]:
    undefined = undefined_in_words(reason for reason, _ in undefined_opinions(results))
    return [*undefined, *constant_in_words(results)]


def _final(compared: _Compared) -> Printed:
    results = compared.results()
    spec = judges_spec(compared.by, results)
    printed = declared_tables(spec, varying(results), "Opinions against final labels", compared.options)
    remarks = _remarks(results)
    return printed._replace(machine=partial(spec.for_programs, results), remarks=remarks).unless_empty()


def _confusion(compared: _Compared) -> Printed:
    """Matrices for a terminal; a row for each cell for programs and pages."""
    results, digits = compared.results(), compared.options.digits
    spec, counts = confusion_spec(compared.by), confusion_counts(results)
    whole = [result for result in varying(results) if result.whole]
    matrices = [confusion_matrix_spec(result) for result in whole]
    terminal = [
        matrix.for_people(matrix_rows(result), digits) for matrix, result in zip(matrices, whole, strict=True)
    ]
    notes = ["Rows: what the opinion says, and abstentions. Columns: final labels."]
    page = spec.for_people([count for count in counts if count.items], digits)
    caption = "Labels of opinions by final label"
    constant = constant_in_words(results)
    return Printed(
        partial(spec.for_programs, counts), page, terminal, notes, caption, constant, keys=spec.keys
    )


def _raters(compared: _Compared) -> Printed:
    results = compared.results(with_raters=True)
    spec = beside_raters_spec(compared.by, results)
    rows = beside_raters(varying(results))
    printed = declared_tables(spec, rows, "Opinions next to raters", compared.options)
    remarks = _remarks(results)
    return printed._replace(
        machine=lambda: spec.for_programs(beside_raters(results)), remarks=remarks
    ).unless_empty()


def _anchoring(compared: _Compared) -> Printed:
    """Second answers against the machine rater; raises RequestError where there are none."""
    bundle, options = compared.bundle, compared.options
    if not bundle.design.machine_rater:
        raise RequestError(
            f"study {options.name!r} has no machine rater; `reviewer study new --judge MODEL` declares one."
        )
    rows = anchoring(bundle, label_rows(bundle, compared.events), compared.asked, options.level)
    if not rows:
        raise RequestError(
            f"in study {options.name!r} nobody gave a second answer after that of the machine rater; "
            "--reveal findings asks for one."
        )
    return declared_tables(ANCHORING, rows, "Second answers and the machine rater", options)


def _of_varying(made: Callable[[_Compared, Items], Printed], compared: _Compared) -> Printed:
    """For people without opinions that never vary, and a sentence on each of these; for programs with all."""
    printed, constant = made(compared, compared.varying_items), constant_in_words(compared.whole, _LEAVES)
    if not constant:
        return printed
    whole = made(compared, compared.items)
    return printed._replace(machine=whole.machine, remarks=[*printed.remarks, *constant]).unless_empty()


def _by_label(compared: _Compared, items: Items) -> Printed:
    rows = judges_by_label(items, compared.by, compared.method)
    caption = "Opinions on each label"
    printed = declared_tables(judges_by_label_spec(compared.by), rows, caption, compared.options)
    shares = [share for row in rows for share in (row.compared.sensitivity, row.compared.specificity)]
    return printed._replace(remarks=undefined_in_words(share.reason for share in shares))


def _differences(compared: _Compared) -> Printed:
    rows = judge_differences(compared.items, compared.by, compared.method)
    if not rows:
        raise RequestError(f"there is nothing to compare: every case has the same {compared.by[-1]}.")
    spec = judge_differences_spec(compared.by)
    caption = f"Opinions by {compared.by[-1]}: the first minus the second"
    note = "A greater bias means that an opinion gives the label more readily there than the final labels do."
    return declared_tables(spec, rows, caption, compared.options, [note])


def _reliability(compared: _Compared, items: Items) -> Printed:
    rows = confirmed_votes(compared.bundle, items, compared.by, compared.method)
    caption = "Opinions that final labels confirm, by votes"
    return declared_tables(confirmed_votes_spec(compared.by), rows, caption, compared.options)


def _replace(compared: _Compared, items: Items) -> Printed:
    tests = opinions_as_raters(items, compared.by, compared.options.epsilon)
    spec, rows = left_out_raters_spec(compared.by, tests), [*left_out_raters(tests)]
    caption = "Opinions in the place of a rater"
    printed = declared_tables(spec, rows, caption, compared.options, [_SKEWED])
    return printed._replace(remarks=[test.in_words() for test in tests])


def _shares(compared: _Compared) -> Printed:
    population = population_of_labels(compared.database, compared.bundle, viewer(compared.database))
    shares = shares_of_labels(
        compared.bundle, compared.finals, population, compared.by, compared.method, compared.asked
    )
    if not shares:
        raise RequestError(why_no_opinion(compared.bundle))
    rows = share_estimates(shares)
    caption = "Shares of labels beyond the drawn cases"
    printed = declared_tables(judged_shares_spec(compared.by), rows, caption, compared.options)
    return printed._replace(
        remarks=[*undefined_in_words(row.share.reason for row in rows), *savings_in_words(shares)]
    )


def _awareness(compared: _Compared) -> Printed:
    """By model; raises RequestError where no judge was asked about all answers of a run."""
    bundle, source = compared.bundle, compared.bundle.design.answers
    if source is None:
        raise RequestError(f"study {bundle.study.name!r} reviews no answers of a run, so none can be aware.")
    evaluation = read_evaluation(compared.database, protocols_of(compared.database), source.run)
    evaluation = evaluation.of_models(source.models)
    placed = answers_of_judges(compared.database, bundle)
    rows = awareness(bundle, evaluation, placed, compared.asked, compared.options.level)
    notes = [awareness_in_words(evaluation)]
    return declared_tables(awareness_spec(), rows, "Awareness by judges", compared.options, notes)


_LEAVES = "The table leaves it out"
_SKEWED = (
    "Where nearly all labels are the same, even an opinion that hardly ever varies can pass this test; see "
    "--by-label."
)
_MAKERS: Mapping[str, Callable[[_Compared], Printed]] = {
    "final": _final,
    "confusion": _confusion,
    "raters": _raters,
    "anchoring": _anchoring,
    "by-label": partial(_of_varying, _by_label),
    "differences": _differences,
    "reliability": partial(_of_varying, _reliability),
    "replace": partial(_of_varying, _replace),
    "shares": _shares,
    "awareness": _awareness,
}
