"""The numbers of a release: how its cases were generated, audited and validated, and its changes.

All of them come from the store. People are numbers, and free text is left out, unless the options say so.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from reviewer.core.check_result import SEVERITIES
from reviewer.core.number_text import percent
from reviewer.core.question import Question, families
from reviewer.core.sanitize import counted
from reviewer.exchange.releases.kind_agreement import kind_facts, ranking_facts
from reviewer.exchange.releases.release_content import (
    AuditFacts,
    ChangeFacts,
    DatasetCheckFacts,
    FindingCases,
    GenerationFacts,
    GuessFacts,
    HumanFacts,
    OpinionFacts,
    QuestionFacts,
    ReleaseOptions,
    ReportFacts,
    RightOptionFacts,
    StudyFacts,
)
from reviewer.exchange.releases.selection import Selection
from reviewer.oracle.evidence import same_option
from reviewer.protocols.base import DatasetCase, Protocol
from reviewer.protocols.formats import StoredCase
from reviewer.results.labels.agreement_results import AgreementResult, Kind, Method, study_results
from reviewer.results.labels.dataset_results import dataset_results
from reviewer.results.labels.divided_items import Answers
from reviewer.results.labels.final_labels import ClosedStudy, FinalLabel
from reviewer.results.labels.judge_results import judge_results
from reviewer.results.labels.known_labels import human_levels
from reviewer.results.labels.label_spread import LabelAgreement, label_agreement
from reviewer.results.labels.rater_warnings import rater_warnings
from reviewer.results.labels.stopping import claims
from reviewer.results.tables.finding_tables import dataset_result_words
from reviewer.runs.audit.audit_state import audit_state
from reviewer.runs.audit.check_texts import asks, audit_names, examination_of
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.runs.audit.reader_reports import FollowedReport, followed_reports
from reviewer.runs.check.dataset_findings import findings_about
from reviewer.runs.discovery.discovery_setup import discovery_name
from reviewer.runs.repair.revision_tables import resolved_words
from reviewer.study.design.design_facts import TOPICS, stop_in_words
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.label_rows import label_rows
from store.candidates import Fate, candidate_count, fates
from store.database import Database
from store.dismissals import dataset_dismissals
from store.findings import marks_in
from store.records import JsonValue, Release, Run
from store.revisions import histories
from store.runs import case_making_runs

_COEFFICIENTS = {
    "all_agree": "po_all_agree",
    "kappa": "fleiss_kappa",
    "alpha": "krippendorff_alpha",
    "ac1": "gwet_ac1",
}
_RESAMPLED = Method(interval="bootstrap")


def group_definitions(protocol: Protocol, cases: Sequence[StoredCase]) -> dict[str, str]:
    """The definition of each group of the cases, where the protocol has one."""
    names = protocol.groups_among(stored.case.group for stored in cases)
    return {name: said for name in names if (said := protocol.group(name).definition)}


def right_option_facts(
    protocol: Protocol,
    released: Sequence[StoredCase],
    present: Sequence[StoredCase],
    choices: Mapping[str, Mapping[str, JsonValue]],
) -> tuple[RightOptionFacts, ...]:
    """How often each option is right among the released cases and among all ``present`` ones.

    ``choices`` has for each case what its programs decide for, as an audit measured it.
    """
    plans = {stored.case.digest: examination_of(protocol, stored.case) for stored in (*present, *released)}
    options = {plan.options for plan in plans.values() if plan}
    if len(options) != 1:
        return ()
    (names,) = options

    def right(stored: StoredCase) -> str | None:
        plan, measured = plans[stored.case.digest], choices.get(stored.case.digest, {})
        choice = measured.get(plan.names[0]) if plan else None
        return next((name for name in names if isinstance(choice, str) and same_option(name, choice)), None)

    here, all_of_them = Counter(map(right, released)), Counter(map(right, present))
    return tuple(
        RightOptionFacts(option=option, cases=here[option], of_dataset=all_of_them[option])
        for option in (*names, None)
    )


def guess_facts(protocol: Protocol, cases: Sequence[StoredCase]) -> tuple[GuessFacts, ...]:
    """Scores of answers without reading on the measures of the benchmark, from published values alone."""
    from reviewer.protocols.evaluation import EvaluationPlan
    from reviewer.results.outcomes.comparisons import guessed_measures

    plan = protocol.offered(EvaluationPlan)
    if plan is None:
        return ()
    held = [(stored.case, stored.published) for stored in cases]
    return tuple(
        GuessFacts(
            measure=guessed.measure.title,
            meaning=guessed.measure.meaning,
            cases=guessed.cases,
            values=dict(guessed.values),
            best=guessed.measure.best,
        )
        for guessed in guessed_measures(plan, held)
    )


def generation_facts(database: Database, cases: Sequence[StoredCase]) -> tuple[GenerationFacts, ...]:
    """The generation runs of this store that wrote cases of the release."""
    names = sorted({stored.place.run for stored in cases if stored.place.run})
    datasets = {stored.place.dataset for stored in cases}
    names += sorted(datasets - {*names})
    discoveries = sorted({discovery_name(dataset) for dataset in datasets} - {*names})
    with database.read() as session:
        there = {run.name: run for run in case_making_runs(session)}
        runs = [there[name] for name in names if name in there]
        runs += [there[name] for name in discoveries if name in there and there[name].procedure == "discover"]
        return tuple(
            GenerationFacts(
                name=run.name,
                model=_models_of(run),
                seed=run.seed,
                rounds=run.rounds,
                candidates=candidate_count(session, run.name),
                approved=sum(fate.candidates for fate in fates(session, run.name) if fate.approved),
                prompts_digest=run.prompts_digest,
                started=run.started_at[:10],
                by_kind=_by_kind(fates(session, run.name)) if run.procedure == "discover" else (),
            )
            for run in runs
        )


def _by_kind(run_fates: Sequence[Fate]) -> tuple[str, ...]:
    """How many candidates of each kind a discovery run tried, and how many it approved."""
    tried, approved = Counter[str](), Counter[str]()
    for fate in run_fates:
        tried[fate.counts_as] += fate.candidates
        approved[fate.counts_as] += fate.candidates if fate.approved else 0
    return tuple(f"{approved[kind]:,} of {number:,} {kind}" for kind, number in sorted(tried.items()))


def _models_of(run: Run) -> str:
    roles = [f"{model} as {role}" for role, model in run.roles.items()]
    return " and ".join(roles) if len(roles) > 1 else run.model


def audit_facts(database: Database, dataset: str, protocol: Protocol, chosen: Selection) -> AuditFacts:
    """Results of the audit of the released contents, each counted once."""
    contents = {stored.case.digest for stored in chosen.cases}
    state = audit_state(database, dataset, protocol, withdrawn=True)
    with database.read() as session:
        marks = marks_in(session, dataset, MARK)
    findings = [finding for case in sorted(contents) for finding in chosen.findings[case]]
    failed = Counter(
        (finding.severity, finding.check)
        for finding in findings
        if finding.tested and not finding.passed and (finding.case, finding.check) not in chosen.dismissed
    )
    ordered = sorted(failed.items(), key=lambda pair: (SEVERITIES.index(pair[0][0]), -pair[1], pair[0][1]))
    return AuditFacts(
        contents=len(contents),
        audited=len(state.current & contents),
        earlier=len(state.earlier & contents),
        audit_clean=len(state.audit_clean & contents),
        strictly_clean=len(state.strictly_clean & contents),
        not_tested=len({finding.case for finding in findings if not finding.tested}),
        engines=tuple(sorted({engine for case, (engine, _) in marks.items() if engine and case in contents})),
        findings=tuple(
            FindingCases(check=check, severity=severity, cases=cases) for (severity, check), cases in ordered
        ),
        checks={check: asks(protocol, check) for check in audit_names(protocol)},
    )


def study_facts(
    study: ClosedStudy, released: Collection[str], sample: str = "", names: Collection[str] = ()
) -> StudyFacts:
    """Who judged how much, and with which agreement: numbers of the whole sample of a closed study.

    ``study`` is read back from its published form. ``sample`` says how it was drawn, and ``names`` are those
    of its raters, if they are published.
    """
    bundle = study.bundle
    rows = label_rows(bundle, study.events)
    states = Counter(study.results().values())
    cells = _by_question(study_results(bundle, rows, ("question",), _RESAMPLED), "cell")
    weighted = _by_question(dataset_results(bundle, rows, ("question",), _RESAMPLED), "dataset")
    raters = Answers(rows).raters
    judged = Counter(case for case, _ in {(row.place.case, row.rater) for row in rows if row.label})
    by_case = [judged[place.case] for place in bundle.counted]
    adjudicators = {event.rater for event in study.events if event.kind == "adjudication"}
    return StudyFacts(
        name=bundle.study.name,
        drawn=bundle.study.created_at[:10],
        closed=(bundle.study.closed_at or "")[:10],
        cases=len(bundle.counted),
        released=sum(place.case in released for place in bundle.counted),
        raters=len(raters),
        adjudicators=len(adjudicators),
        labels=sum(result.ratings for result in cells.values()),
        passed=states["passed"],
        failed=states["failed"],
        undecided=states["undecided"],
        not_reviewed=states["not reviewed"],
        questions=_questions_facts(bundle, cells, label_agreement(bundle, rows, _RESAMPLED)),
        names=tuple(names),
        sample=sample,
        seed=bundle.study.seed,
        fewest=min(by_case),
        most=max(by_case),
        open=sum(_is_open(final) for final in study.finals),
        weighted=_questions_facts(bundle, weighted),
        population=sum(stratum.size for stratum in weighted_strata(bundle)),
        answered=len({about for place in bundle.counted if (about := bundle.same_case.get(place.case))}),
    )


def _by_question(results: Iterable[AgreementResult], kind: Kind) -> dict[str, AgreementResult]:
    return {result.where["question"]: result for result in results if result.kind == kind}


def _questions_facts(
    bundle: StudyBundle, results: Mapping[str, AgreementResult], by_label: Sequence[LabelAgreement] = ()
) -> tuple[QuestionFacts, ...]:
    return tuple(
        _question_facts(
            bundle.protocol,
            question,
            results[question.title],
            [each for each in by_label if each.question.title == question.title],
        )
        for question, *_ in families(bundle.questions)
        if question.title in results
    )


def _is_open(final: FinalLabel) -> bool:
    """Whether an item has labels and no final one; free texts are never counted against each other."""
    return final.question.answer_kind.is_compared and final.label is None and bool(final.item_votes.votes)


def study_cautions(study: ClosedStudy) -> dict[str, object]:
    """What readers should know of a study beside what its labels tell, by field of `StudyFacts`."""
    bundle = study.bundle
    rows = label_rows(bundle, study.events)
    warned = {(warning.rater, warning.kind) for warning in rater_warnings(bundle, rows)}
    described = {each.topic for each in bundle.descriptions}
    return {
        "picked": bundle.design.picked,
        "listed": bundle.design.listed,
        "warned": dict(sorted(Counter(kind for _, kind in warned).items())),
        "undescribed": tuple(topic for topic in TOPICS if topic not in described),
        "given": tuple(sorted({row.verdict.event.given for row in rows if row.label and row.verdict.event})),
        "opinions": opinion_facts(study),
        "human": human_facts(study),
        "withdrawn_raters": len(bundle.withdrawn),
        "withdrawn_labels": sum(
            row.rater in bundle.withdrawn and row.place.role == "counted" and bool(row.label)
            for row in label_rows(bundle, study.events, everyone=True)
        ),
    }


def stop_facts(study: ClosedStudy) -> tuple[str, ...]:
    """The claim of a stop rule, and the interval of each of its questions; () without a rule.

    Case and raters that hold the count up are not in it: a release may publish neither.
    """
    made = claims(study.bundle, study.events, study.finals)
    if not made:
        return ()
    intervals = (
        f"{claim.question.title} {percent(low)} to {percent(high)} of all {claim.sequence.size:,} cases, by "
        f"{claim.sequence.passed:,} of the first {counted(claim.sequence.seen, 'case')} of the common order"
        for claim in made
        for low, high in (claim.sequence.ends,)
    )
    return (stop_in_words(study.bundle), *intervals)


def opinion_facts(study: ClosedStudy) -> tuple[OpinionFacts, ...]:
    """How often each value that is an opinion agrees with the final labels of all items.

    Also of one that never varies: experts may contradict it on many cases.
    """
    judged = judge_results(study.bundle, study.finals, by=("group",), method=_RESAMPLED)
    return tuple(
        OpinionFacts(
            opinion=result.opinion.shown_name, question=result.question.title, agreement=result.accuracy
        )
        for result in judged
        if result.whole
    )


def human_facts(study: ClosedStudy) -> tuple[HumanFacts, ...]:
    """How often the raters gave the published answer, where a question asks for the answer itself."""
    return tuple(
        HumanFacts(
            published=level.published.shown_name,
            question=level.question.title,
            raters=level.raters,
            answers=level.answers,
            share=level.share,
        )
        for level in human_levels(study.bundle, study.finals, _RESAMPLED)
    )


def dataset_check_facts(
    database: Database,
    dataset: str,
    protocol: Protocol,
    cases: Sequence[StoredCase],
    options: ReleaseOptions,
) -> tuple[DatasetCheckFacts, ...]:
    """Results of the checks of a whole dataset on the released cases."""
    placed = [DatasetCase(stored.place.key, stored.case, stored.published) for stored in cases]
    with database.read() as session:
        findings = findings_about(protocol, placed, dataset_dismissals(session, dataset))
    return tuple(
        DatasetCheckFacts(
            check=finding.check,
            result=dataset_result_words(finding),
            says=finding.says,
            person=finding.dismissal.who if finding.dismissal and options.names else None,
            reason=finding.dismissal.why if finding.dismissal and options.reasons else None,
        )
        for finding in findings
    )


def change_facts(
    database: Database, dataset: str, version: str, earlier: Sequence[Release], options: ReleaseOptions
) -> tuple[ChangeFacts, ...]:
    """Every revision of the dataset, oldest first, with the version of the first release that has it."""
    with database.read() as session:
        steps = sorted(
            (step for history in histories(session, [dataset]).values() for step in history.revisions),
            key=lambda step: step.id,
        )
    authors = dict.fromkeys(step.author for step in steps)
    people = {author: f"person {number}" for number, author in enumerate(authors, 1)}
    return tuple(
        ChangeFacts(
            version=_first_since(step.created, earlier) or version,
            key=step.key,
            kind=step.kind,
            date=step.created[:10],
            proposed_by=step.proposed_by,
            person=step.author if options.names else people[step.author],
            resolves=tuple(map(resolved_words, step.resolves)),
            reason=step.reason if options.reasons else None,
        )
        for step in steps
    )


def report_facts(
    database: Database,
    dataset: str,
    version: str,
    earlier: Sequence[Release],
    options: ReleaseOptions,
    held_out: Collection[str],
) -> tuple[ReportFacts, ...]:
    """Every report of a reader, oldest first, with its state and the first version that has that state.

    Words about cases that are ``held_out`` are never given: they can tell the content of such a case.
    """

    def words(report: FollowedReport, text: str) -> str:
        return text if options.reasons and report.complaint.case not in held_out else ""

    return tuple(
        ReportFacts(
            version=_first_since(report.at, earlier) or version,
            key=report.complaint.key,
            date=report.complaint.at[:10],
            became=report.became,
            since=report.at[:10],
            text=words(report, report.complaint.text),
            link=words(report, report.complaint.link),
            reason=words(report, report.dismissal.why if report.dismissal else ""),
        )
        for report in followed_reports(database, dataset)
    )


def _first_since(at: str, earlier: Sequence[Release]) -> str | None:
    """The version of the first release after a time; None if there is none, or "" for a time."""
    return next((each.version for each in earlier if at and at <= each.at), None)


def _question_facts(
    protocol: Protocol, question: Question, result: AgreementResult, by_label: Sequence[LabelAgreement]
) -> QuestionFacts:
    shown = {name: result.of(result.like(key)) for name, key in _COEFFICIENTS.items()}
    return QuestionFacts(
        title=question.title,
        prompt=question.template,
        labels=question.labels,
        passing=question.passing,
        items=result.items,
        labels_given=result.ratings,
        majority=result.majority,
        unanimity=result.unanimity,
        kind=question.kind,
        weights=_RESAMPLED.weights if question.ordinal else "",
        checked=tuple(opinion.shown_name for opinion in protocol.must_agree(question)),
        **shown,
        **ranking_facts(result),
        agreement=kind_facts(result, by_label),
    )
