"""A study's report: everything that a paper's validation section says, and how to compute it again."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reviewer import __version__
from reviewer.core.plaintext import counted, one_line
from reviewer.report.agreement_text import (
    agreement_print,
    differences_text,
    intervals_in_words,
    legend,
    pass_rates_text,
    plans_text,
    remarks,
    symbol,
    tie_remarks,
    with_interval,
)
from reviewer.report.document import (
    Block,
    Commands,
    Document,
    Numbers,
    Paragraph,
    Picture,
    Points,
    Section,
    Votes,
)
from reviewer.report.final_text import final_blocks
from reviewer.report.hidden_text import hidden_blocks
from reviewer.report.reasons_text import meaning
from reviewer.report.study_design import design_blocks
from reviewer.study.bundle import StudyBundle
from reviewer.study.comparisons import compared
from reviewer.study.dimensions import ALL
from reviewer.study.disagreements import Disagreement, disagreements
from reviewer.study.labels import LabelRow, label_rows
from reviewer.study.plans import planned
from reviewer.study.raters import rater_results
from reviewer.study.results import Method, Result, study_results
from store.records import Event, digest_of

BY = ("question", "generator")
PLANNED_WIDTH = 0.1
_FIGURES = {
    "agreement": (
        "Percent agreement by question and generator: the share of items on which all raters agree, with its "
        "interval; grey bars pool all generators.",
        "Bars of percent agreement for each question and generator; the table above has every value.",
    ),
    "coefficients": (
        "Chance-corrected agreement with intervals; diamonds pool all generators. With skewed labels kappa "
        "and alpha are low however well raters agree.",
        "A forest plot of the coefficients; the table above has every value.",
    ),
    "pass-rates": (
        "Pass rates by majority and by unanimity on one scale, with their intervals in percent.",
        "Two heat maps of pass rates; the table above has every value.",
    ),
    "disagreements": (
        "Every item on which raters disagree, the evenest splits of each question first; a dot is a missing "
        "label.",
        "A matrix of the labels of each rater; the list below has every one.",
    ),
}


@dataclass(frozen=True)
class Findings:
    """All that the report prints: computed once, for the pages and for the figures."""

    bundle: StudyBundle
    events: tuple[Event, ...]
    rows: tuple[LabelRow, ...]
    method: Method
    results: tuple[Result, ...]
    found: tuple[Disagreement, ...]


def find(bundle: StudyBundle, events: Sequence[Event], method: Method) -> Findings:
    """Compute what the report prints; raises RequestError as the tables do."""
    rows = tuple(label_rows(bundle, events))
    seeded = method.seeded(bundle.study.seed)
    results = tuple(study_results(bundle, rows, BY, seeded))
    return Findings(bundle, tuple(events), rows, seeded, results, tuple(disagreements(bundle, rows)))


def study_document(findings: Findings) -> Document:
    """The report of a study as blocks."""
    bundle = findings.bundle
    return Document(
        f"Agreement of the experts in study {bundle.study.name}",
        (
            *_summary(findings),
            *design_blocks(bundle, findings.rows, findings.events),
            *_agreement(findings),
            *_pass_rates(findings),
            *hidden_blocks(bundle, findings.rows, findings.method),
            *_plans(findings),
            *_disagreements(findings),
            *final_blocks(bundle, findings.events, findings.method.level),
            *_undefined(findings),
            *_recompute(findings),
        ),
    )


def _summary(findings: Findings) -> list[Block]:
    whole = findings.results[-1]
    labels = f"{whole.ratings:,} of {whole.ratings + whole.missing:,} labels"
    text = (
        f"{whole.raters} raters gave {labels} on {whole.items:,} items: {len(findings.bundle.questions)} "
        f"questions about {whole.cases:,} cases. "
    )
    po, kappa, ac1 = (whole.coefficients.get(key) for key in ("po_all_agree", "fleiss_kappa", "gwet_ac1"))
    if po and kappa and ac1 and po.value is not None:
        text += (
            f"Over all items together they all agree on {po.value:.1%} (Po {with_interval(po)}); AC1 is "
            f"{with_interval(ac1) or 'undefined'}, Fleiss' kappa {with_interval(kappa) or 'undefined'}. "
        )
    if whole.majority.value is not None and whole.unanimity.value is not None:
        text += (
            f"By majority {whole.majority.value:.1%} of the items pass, by unanimity "
            f"{whole.unanimity.value:.1%}."
        )
    return [Paragraph(text)]


def _agreement(findings: Findings) -> list[Block]:
    results, words = findings.results, intervals_in_words(findings.results)
    notes = (legend(results), *([words] if words else []))
    return [
        Section("Agreement"),
        Numbers(
            "agreement",
            "Agreement by question and generator",
            agreement_print(results, BY),
            notes,
            _loud(results),
        ),
        _picture("agreement"),
        _picture("coefficients"),
        Points(tuple(remarks(results, BY))),
    ]


def _pass_rates(findings: Findings) -> list[Block]:
    results, level = findings.results, findings.method.level
    blocks: list[Block] = [
        Section("Pass rates"),
        Paragraph(
            "By majority an item passes where more than half of its raters pass it (a tie does not), by "
            "unanimity where all of them do."
        ),
        Numbers(
            "pass-rates",
            "Pass rates by question and generator",
            pass_rates_text(results, BY),
            (),
            _loud(results),
        ),
        _picture("pass-rates"),
        Points(tuple(tie_remarks(results, BY))),
    ]
    found = compared(results, BY, level)
    if found:
        note = (
            f"First minus second with Newcombe's interval at {level:.0%}; pooled z, two-sided p, and p by "
            "Holm over the tests of the same rate."
        )
        blocks += [
            Section("Differences between generators", 2),
            Numbers("differences", "Differences between generators", differences_text(found, BY), (note,)),
        ]
    return blocks


def _plans(findings: Findings) -> list[Block]:
    cells = [each for each in findings.results if each.kind == "cell" or each.where["question"] != ALL]
    pooled = [result for result in cells if result.kind == "pooled"] or cells
    found = planned(pooled, PLANNED_WIDTH, findings.method.level)
    return [
        Section("How many cases it would take"),
        Paragraph(
            f"Cases like these that would bring the half-width of each interval down to {PLANNED_WIDTH:g}, "
            "in all and beyond those at hand."
        ),
        Numbers("plans", "Cases needed", plans_text(found, ("question",))),
    ]


def _disagreements(findings: Findings) -> list[Block]:
    found = findings.found
    if not found:
        return [Section("Disagreements"), Paragraph("There are none: on every item all labels are the same.")]
    blocks: list[Block] = [
        Section("Disagreements"),
        Paragraph(f"Raters disagree on {counted(len(found), 'item')}."),
        _picture("disagreements"),
    ]
    for question in dict.fromkeys(each.question.title for each in found):
        items = [each for each in found if each.question.title == question]
        blocks.append(Section(f"On {question}", 2))
        blocks += [_votes(findings.bundle, each) for each in items]
    return blocks


def _votes(bundle: StudyBundle, each: Disagreement) -> Votes:
    case, place = bundle.cases[each.place.case], each.place
    lines = tuple((who, label or "–", each.comments.get(who, "")) for who, label in each.votes.items())
    title = f"{place.key} · {place.generator} · {place.case[:12]}"
    return Votes(title, one_line(bundle.protocol.headline(case), 120), lines)


def _undefined(findings: Findings) -> list[Block]:
    places: dict[str, list[str]] = {}
    for reason, where in _reasons(findings):
        places.setdefault(reason, []).append(where)
    items = tuple(
        f"{reason}: {meaning(reason)} Here: {', '.join(dict.fromkeys(where))}."
        for reason, where in places.items()
    )
    lead = (
        "A dash in a table is no number; these are the reasons."
        if items
        else "Every value in this report is defined."
    )
    return [Section("Undefined values"), Paragraph(lead), Points(items)]


def _reasons(findings: Findings) -> Iterator[tuple[str, str]]:
    """Each reason with the place at which something is undefined for it."""
    for result in findings.results:
        for key, estimate in result.coefficients.items():
            if estimate.reason:
                yield estimate.reason, f"{symbol(key)} at {result.at(BY)}"
    for each in compared(findings.results, BY, findings.method.level):
        if each.test.reason:
            at = " · ".join(each.where.values())
            yield each.test.reason, f"z of {each.measure} at {at}, {each.first} against {each.second}"
    for rater in rater_results(findings.bundle, findings.rows, (), findings.method):
        told = {"sec.": rater.seconds, "self": rater.again.agreement, "others": rater.with_others}
        for name, estimate in told.items():
            if estimate.reason:
                yield estimate.reason, f"{name} of {rater.rater}"


def _recompute(findings: Findings) -> list[Block]:
    name, method = findings.bundle.study.name, findings.method
    ledger = digest_of([event.digest for event in findings.events])
    options = f"--interval {method.interval} --level {method.level:g}"
    drawn = f" --seed {method.seed} --resamples {method.resamples}" if method.interval == "bootstrap" else ""
    return [
        Section("How to compute this again"),
        Paragraph(
            f"Made by dilemma-reviewer {__version__} from {len(findings.events):,} events of the ledger; the "
            f"SHA-256 digest over theirs is {ledger}. The same ledger and seed give the same files, byte for "
            "byte. The raw labels, with a codebook, come from the last command."
        ),
        *_digest(findings.bundle),
        Commands(
            (
                f"reviewer report {name} {options}{drawn}",
                f"reviewer agreement {name} --by question,generator {options}{drawn} --format csv",
                f"reviewer agreement {name} --by question,generator --differences --level {method.level:g}",
                f"reviewer export {name}",
            )
        ),
    ]


def _digest(bundle: StudyBundle) -> list[Block]:
    """The digest that `store check` prints for the same store."""
    told = (
        f"Digest of the study's ledger: {bundle.digest}. To learn whether a store still holds all of it, run "
        f"`reviewer store check --against {bundle.digest}`."
    )
    return [Paragraph(told)] if bundle.digest else []


def _picture(name: str) -> Picture:
    return Picture(name, *_FIGURES[name])


def _loud(results: Sequence[Result]) -> tuple[bool, ...]:
    return tuple(result.kind != "cell" for result in results)
