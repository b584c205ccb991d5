"""How agreement is printed, of a study and of a file of labels."""

from collections.abc import Sequence
from functools import partial
from itertools import chain

from reviewer.cli.printing import Printed
from reviewer.options.result_options import Digits
from reviewer.report.agreement_text import agreement_tables, intervals_in_words, legend, remarks
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.tables.agreement_tables import agreement_in_terminal, agreement_spec, by_scale


def agreement_printed(
    results: Sequence[AgreementResult],
    sample: Sequence[AgreementResult],
    by: Sequence[str],
    options: Digits,
) -> Printed:
    """The table of results with remarks on those of the sample."""
    words, spec = intervals_in_words(results), agreement_spec(by, results)
    narrow = legend(agreement_in_terminal(by, results), results, narrow=True)
    intervals = [words] if words else []
    page, *more = (agreement_spec(by, part).for_people(part, options.digits) for part in by_scale(results))
    return Printed(
        partial(spec.for_programs, results),
        page,
        agreement_tables(results, by, options.digits),
        [legend(spec, results), *intervals],
        f"Agreement by {dimensions_in_words(by)}",
        remarks(sample, by, options.digits),
        spec.keys,
        [narrow, *intervals],
        more,
    )


def with_remarks(printed: Printed, *remarks: Sequence[str]) -> Printed:
    """The same with further remarks."""
    return printed._replace(remarks=[*printed.remarks, *chain.from_iterable(remarks)])


def dimensions_in_words(by: Sequence[str]) -> str:
    """What a table is divided by."""
    return " and ".join(by) or "nothing"
