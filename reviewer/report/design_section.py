"""The first part of a report: the questions, the sample, the raters, and how and when they answered."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from types import MappingProxyType

from reviewer.core.check_result import check_words
from reviewer.core.number_text import percent
from reviewer.core.question import Question, families
from reviewer.core.sanitize import counted, enumerated
from reviewer.core.table import Cell, Table
from reviewer.protocols.base import DatasetFinding
from reviewer.report.answering_text import filled_example, ways_blocks
from reviewer.report.document import Block, Facts, Numbers, Paragraph, Points, Quote, Section, Words, words
from reviewer.report.draw_text import datasets_in_words, draw_in_words
from reviewer.results.labels.divided_items import Answers
from reviewer.results.labels.label_provenance import LabelProvenance, label_provenance_of
from reviewer.results.tables.finding_tables import dataset_finding_words, dataset_result_words
from reviewer.study.design.closing import late_in_words
from reviewer.study.design.design_facts import TOPICS, answers_in_words, panels_in_words, stop_in_words
from reviewer.study.design.pooled_studies import overlap_in_words
from reviewer.study.design.study_bundle import StudyBundle, StudyRelease
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.integrity.quarantine import left_out_in_words
from reviewer.study.session.label_rows import LabelRow
from store.findings import AUDIT_MARK
from store.records import Assignment, Event

_DATASETS_NOTE = (
    "The checks read all cases that the store held when this report was written, not only the sample; "
    "withdrawn cases are left out."
)
_GUIDELINES = "The appendix has the guideline of each question word for word."
_SAMPLING_NOTE = (
    "cases: distinct cases that the dataset held when the sample was drawn; could be drawn: cases that the "
    "design allows; drawn: cases that count in this report; left out: all other cases."
)


def design_blocks(
    bundle: StudyBundle,
    rows: Sequence[LabelRow],
    events: Sequence[Event],
    datasets: Mapping[str, Sequence[DatasetFinding]] = MappingProxyType({}),
) -> list[Block]:
    """Facts, how answers were given, the sample by generator and group, and the questions word for word.

    ``datasets`` holds what the checks of whole datasets find, by dataset.
    """
    ways = label_provenance_of(rows)
    return [
        Section("Study design"),
        Facts(_facts(bundle, rows, events, ways)),
        *ways_blocks(bundle, ways),
        Section("Sample", 2),
        Paragraph(draw_in_words(bundle)),
        *_sample(bundle),
        *_sampling(bundle),
        *_about_datasets(datasets),
        Section("Questions", 2),
        Points(tuple(_question_in_words(bundle, question, title) for question, title in _asked(bundle))),
        Paragraph(_GUIDELINES),
    ]


def _question_in_words(bundle: StudyBundle, question: Question, title: str) -> str:
    """The prompt; with the case whose words fill its gaps."""
    example = filled_example(bundle, question)
    if not example:
        return f"{title}: {question.template}"
    about, prompt = example
    return f"{title}. The question has words of each case. {about} {prompt}"


def question_blocks(bundle: StudyBundle, rows: Sequence[LabelRow]) -> list[Block]:
    """The questions word for word, as an appendix."""
    return [
        Section("Questions and guidelines", appendix=True),
        Paragraph(_how_asked(bundle, label_provenance_of(rows))),
        *_questions(bundle),
    ]


def _facts(
    bundle: StudyBundle, rows: Sequence[LabelRow], events: Sequence[Event], ways: Sequence[LabelProvenance]
) -> tuple[tuple[str, Words], ...]:
    study, raters = bundle.study, Answers(rows).raters
    people = [rater for rater in bundle.raters if rater.rater in raters]
    judges = sorted({event.rater for event in events if event.kind == "adjudication"})
    said = profile_summary(people)
    background = words(said) if said else _missing("no rater described it", f"study profile {study.name}")
    facts: list[tuple[str, str | Words]] = [
        ("Benchmark", bundle.protocol.title),
        ("Sample", _sample_in_words(bundle)),
        *(("Release", _release_in_words(bundle, release)) for release in bundle.releases),
        (
            "Random seed",
            f"{study.seed}, for {'' if bundle.design.listed else 'the draw and '}the order of cases",
        ),
        ("Lead", ", ".join(bundle.leads) or "not recorded"),
        *_asking(bundle.design, ways),
        ("Raters", f"{len(raters)}: {', '.join(raters)}"),
        ("Raters per case", panels_in_words(bundle.design) if bundle.design.panels else ""),
        (
            "May be stopped",
            f"when it may be claimed that {claim}" if (claim := stop_in_words(bundle)) else "",
        ),
        ("Confidence", _confidence(bundle, rows)),
        ("Without labels", ", ".join(_silent(bundle, rows))),
        ("Raters' background", background),
        ("Adjudication", f"by {', '.join(judges)}" if judges else ""),
        *_described(bundle),
        ("Drawn", _day(study.created_at)),
        ("Closed", _day(study.closed_at) if study.closed_at else "not closed"),
    ]
    if stale := sum(row.stale for row in rows):
        given = "given on content or wording that has changed since"
        facts.append(("Stale", f"{counted(stale, 'verdict')}, {given}"))
    if earlier := sum(_by_earlier_checks(bundle, place.case) for place in bundle.sample):
        values = (
            f"{counted(earlier, 'case')} audited by earlier checks; `reviewer audit` audits a dataset again"
        )
        facts.append(("Audit", words(values, "reviewer audit")))
    facts += [("Late", sentence) for sentence in late_in_words(bundle, events)]
    facts += [("Left out", words(each, "reviewer store check")) for each in left_out_in_words(bundle)]
    return tuple((name, words(value) if isinstance(value, str) else value) for name, value in facts if value)


def _by_earlier_checks(bundle: StudyBundle, case: str) -> bool:
    marks = [
        value for value in bundle.measurements[case] if value.name == AUDIT_MARK and not value.came_with_place
    ]
    if not marks:
        return False
    from reviewer.runs.audit.audit_state import by_these_checks  # loads the checks of logic

    return any(not by_these_checks(bundle.protocol, mark.engine or "", mark.value) for mark in marks)


def _sample_in_words(bundle: StudyBundle) -> str:
    design, total = bundle.design, len(bundle.counted)
    free = sum(free for groups in design.population.values() for _, free in groups.values())
    among = f" of {free:,} that could be drawn" if free else ""
    groups = "each group of each dataset" if len(design.datasets) > 1 else "each group"
    spread = "the groups of each dataset" if len(design.datasets) > 1 else "the groups"
    if design.answers:
        return f"{counted(total, 'answer')} of models: {answers_in_words(design, design.answers)}"
    if design.listed:
        return f"{counted(total, 'case')} from {datasets_in_words(design.datasets)}: exactly those of a list"
    drawn = "all of them"
    if design.draw and design.draw.by:
        drawn = f"{design.total} in all, at random within strata by {enumerated(design.draw.by)}"
    elif design.per_group is not None:
        drawn = f"{counted(design.per_group, 'case')} of {groups}, at random"
    elif design.total is not None:
        drawn = f"at random and spread evenly over {spread}"
    if design.others:
        picked = f"{total - design.others:,} that were picked for a reason ({drawn})"
        others = f"at random and spread evenly over {spread}"
        drawn = f"{picked}, and {design.others:,} others, {others}"
    elif design.picked:
        drawn += ", among cases that were picked for a reason"
    return f"{counted(total, 'case')}{among} from {datasets_in_words(design.datasets)}: {drawn}"


def _release_in_words(bundle: StudyBundle, release: StudyRelease) -> str:
    total = len(bundle.counted)
    some = f"all {total:,}" if release.cases == total else f"{release.cases:,} of {total:,}"
    came = "came from" if release.origin == "imported" else "are in"
    return f"{some} cases {came} release “{release.name}” {release.version}"


def _confidence(bundle: StudyBundle, rows: Sequence[LabelRow]) -> str:
    """That raters could say how sure they were, and how often they did; "" if they were not asked."""
    if not bundle.design.confidence:
        return ""
    labelled = [row for row in rows if row.label is not None]
    said = sum(bool(row.verdict.confidence) for row in labelled)
    return (
        "raters could say after an answer whether they were sure, rather sure, or guessed; they did for "
        f"{said:,} of {counted(len(labelled), 'label')}"
    )


def _silent(bundle: StudyBundle, rows: Sequence[LabelRow]) -> list[str]:
    """Raters who joined or wrote something, but gave no label that counts."""
    known = {person.rater for person in bundle.raters} | {row.rater for row in rows}
    return sorted(known - set(Answers(rows).raters))


def _described(bundle: StudyBundle) -> list[tuple[str, Words]]:
    """How the lead described each topic, or that the description is missing."""
    said = {description.topic: description.text for description in bundle.descriptions}
    command = f"study describe {bundle.study.name}"
    return [
        (topic.capitalize(), words(said[topic]) if said.get(topic) else _missing("not described", option))
        for topic in TOPICS
        for option in (f"{command} --{topic} …",)
    ]


def _missing(what: str, command: str) -> Words:
    return words(f"missing: {what} (`reviewer {command}`)", f"reviewer {command}")


def _asking(design: StudyDesign, ways: Sequence[LabelProvenance]) -> list[tuple[str, str]]:
    """Repeats, training and gold cases, if there are any."""
    sheets = any(way.given == "spreadsheet" for way in ways)
    app = "; not in spreadsheets" if sheets else ""
    twice = f"{counted(len(design.repeated), 'case')}, the same for every rater, far apart{app}"
    mark = design.training_pass
    passing = f", with a pass mark of {percent(mark, None)}" if mark is not None else ""
    training = (
        f"{counted(design.training, 'case')} with feedback before the study{passing}; never counted{app}"
    )
    gold = f"{counted(design.gold, 'case')} with known answers among the others; never counted"
    return [
        ("Shown twice", twice if design.repeated else ""),
        ("Training", training if design.training else ""),
        ("Gold", gold if design.gold else ""),
    ]


def _day(instant: str) -> str:
    return instant[:10]


def _sample(bundle: StudyBundle) -> list[Block]:
    """Cases by group and generator, where there are several generators."""
    counts = Counter((place.group, place.generator) for place in bundle.counted)
    groups = list(dict.fromkeys(place.group for place in bundle.counted))
    generators = list(dict.fromkeys(place.generator for place in bundle.counted))
    if len(generators) < 2 and bundle.design.population:
        return []
    rows: list[list[Cell]] = []
    for group in groups:
        cells = [counts[group, generator] for generator in generators]
        rows.append([group, *cells, sum(cells)])
    sums = [sum(counts[group, generator] for group in groups) for generator in generators]
    rows.append(["all", *sums, sum(sums)])
    table = Table.of(("group", *generators, "all"), rows)
    return [Numbers("sample", "Cases by group and generator", table, loud=(*[False] * len(groups), True))]


def _sampling(bundle: StudyBundle) -> list[Block]:
    """How many cases each dataset held, how many were drawn, and what was left out."""
    design = bundle.design
    lacking = [
        f"Dataset “{dataset}” gave no case of: {', '.join(groups)}."
        for dataset, groups in design.lacking.items()
    ]
    if not design.population:
        unknown = (
            "The cases were taken from a list, so the numbers of other cases were not recorded."
            if design.listed
            else "How many cases each dataset held when the sample was drawn was not recorded."
        )
        return [Paragraph(unknown), Points(tuple(lacking))]
    drawn = Counter((place.dataset, place.group) for place in bundle.counted)
    rows: list[list[Cell]] = [
        [dataset, group, held, free, drawn[dataset, group], held - drawn[dataset, group]]
        for dataset, groups in design.population.items()
        for group, (held, free) in groups.items()
    ]
    sums = [sum(int(row[at] or 0) for row in rows) for at in range(2, 6)]
    heads: tuple[str, ...] = ("dataset", "group", "cases", "could be drawn", "drawn", "left out")
    every: list[list[Cell]] = [*rows, ["all", "", *sums]]
    keys, of = 2, ""
    if len(design.population) == 1:  # the caption names it
        keys, of, heads = 1, f" from {datasets_in_words([*design.population])}", heads[1:]
        every = [*(row[1:] for row in rows), ["all", *sums]]
    loud = (*[False] * len(rows), True)
    notes = (_SAMPLING_NOTE, *not_drawable(design, sums[0], sums[1]))
    caption = f"What was drawn{of}, and what was left out"
    table = Table.of(heads, every)
    return [Numbers("sampling", caption, table, notes, loud, keys=keys), Points(tuple(lacking))]


def _about_datasets(datasets: Mapping[str, Sequence[DatasetFinding]]) -> list[Block]:
    rows = [
        (dataset, check_words(finding.check), dataset_result_words(finding), dataset_finding_words(finding))
        for dataset, findings in datasets.items()
        for finding in findings
    ]
    table = Table.of(("dataset", "check", "result", "what it found"), rows)
    caption = "Checks of the datasets as a whole"
    return [Numbers("datasets", caption, table, (_DATASETS_NOTE,), keys=2)] if rows else []


def not_drawable(design: StudyDesign, held: int, free: int) -> Iterator[str]:
    """How many of the cases could not be drawn and why, and where a case is drawn from that several hold."""
    reasons = [] if design.include_seeds else ["hand-written cases of a dataset that has generated ones"]
    reasons += ["cases with known answers"] if design.gold or design.training else []
    reasons += ["cases that were not picked"] if design.picked and not design.others else []
    reasons += ["withdrawn cases"] if design.withdrawn else []
    if reasons and free < held:
        yield f"{held - free:,} of {held:,} cases could not be drawn: {'; '.join(reasons)}."
    if len(design.datasets) > 1:
        yield "A case that several datasets hold is drawn from the first of them only."


def _how_asked(bundle: StudyBundle, ways: Sequence[LabelProvenance]) -> str:
    text = "Each question with its guideline, as the app shows it."
    if any("{" in question.template for question in bundle.questions):
        text += (
            " A question that has words of each case is shown as it was asked about one case, which is named."
        )
    if any(question.lettered for question in bundle.questions):
        text += (
            " The app shows outputs in an order of their own for each rater and case, with "
            "letters as their names."
        )
    if any(way.given == "spreadsheet" for way in ways):
        text += " A spreadsheet shows neither of them; this program does not know what its raters were told."
    return text


def _answers(question: Question) -> str:
    return question.answer_kind.choices_in_sentence(question.labels)


def _order_and_passing(bundle: StudyBundle, question: Question) -> str:
    """Whether labels stand in order, and which of several pass; "" where there is neither to say."""
    order = ", in this order" if question.ordinal else ""
    several = question.ordinal or len(question.passing) > 1 or bundle.protocol.must_agree(question)
    passing = f"; an item passes with {bundle.protocol.passing_words(question)}"
    return order + (passing if several and question.passing else "")


def pooled_blocks(bundle: StudyBundle) -> list[Block]:
    """The studies that are pooled, and their questions; empty if the study is not pooled."""
    if not bundle.parts:
        return []
    rows: list[list[Cell]] = [
        [
            part.study.name,
            len(part.counted),
            len(part.raters),
            ", ".join(part.design.datasets),
            part.study.seed,
            part.study.created_at[:10],
            (part.study.closed_at or "open")[:10],
        ]
        for part in bundle.parts
    ]
    heads = ("study", "cases", "raters", "datasets", "seed", "drawn", "closed")
    text = (
        f"This report pools {len(rows)} studies with the same questions. {overlap_in_words(bundle)} Raters "
        "are named by their study. The report of each study describes its design, how answers were given, "
        "and known answers, which are not pooled."
    )
    table = Numbers("pooled", "Pooled studies", Table.of(heads, rows))
    return [Section("Pooled studies"), Paragraph(text), table]


def _questions(bundle: StudyBundle) -> list[Block]:
    return [Quote(title, tuple(wording(bundle, question))) for question, title in _asked(bundle)]


def wording(bundle: StudyBundle, question: Question) -> Iterator[tuple[str, str]]:
    """A question word for word, each paragraph with its head: its prompt (with gaps filled in for a case),
    guideline and definitions.
    """
    yield filled_example(bundle, question) or ("", question.template)
    yield from question.guideline_parts
    yield from ((f"{label}:", definition) for label, definition in question.definitions)


def _asked(bundle: StudyBundle) -> Iterator[tuple[Question, str]]:
    """Each question, and of how many cases it was asked with which answers."""
    for family in families(bundle.questions):
        question, slots = family[0], [slot for asked in family for slot in bundle.slots(asked)]
        cases = counted(len({slot.case for slot in slots}), "case")
        of_what = "each output" if question.outputs else "each entry of a list"
        entries = f", {of_what}, {len(slots):,} in all" if question.entry else ""
        answers = f"{_answers(question)}{_order_and_passing(bundle, question)}"
        yield question, f"{question.title} ({cases}{entries}, answered by {answers})"


def profile_summary(raters: Sequence[Assignment]) -> str:
    """Fields, degrees and years of the raters who gave them; "" if nobody did."""
    described = [rater for rater in raters if rater.field or rater.degree or rater.years is not None]
    if not described:
        return ""
    parts = [_counted([rater.degree for rater in described]), _counted([rater.field for rater in described])]
    years = [rater.years for rater in described if rater.years is not None]
    if years:
        span = f"{min(years)}" if min(years) == max(years) else f"{min(years)} to {max(years)}"
        parts.append(f"{span} years of experience (median {median(years):g})")
    silent = len(raters) - len(described)
    parts.append(f"{silent} of {len(raters)} gave no background" if silent else "")
    return "; ".join(part for part in parts if part)


def _counted(values: Sequence[str | None]) -> str:
    counts = Counter(value for value in values if value)
    return ", ".join(
        f"{count} {value}" for value, count in sorted(counts.items(), key=lambda count: (-count[1], count[0]))
    )
