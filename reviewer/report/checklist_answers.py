"""What a study in the store, or a release in a folder, answers of the checklist."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from reviewer.core.number_text import value_or_reason, with_interval
from reviewer.core.question import families
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.exchange.releases.dataset_description import DATASET_TOPICS, described
from reviewer.exchange.releases.kind_agreement import has_own, own_agreement
from reviewer.exchange.releases.profile_counts import profile_words
from reviewer.exchange.releases.release_content import AuditFacts, ReleaseContent, StudyFacts
from reviewer.exchange.releases.release_facts import study_cautions, study_facts
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_pages import human_words
from reviewer.protocols.intake import ORIGINS
from reviewer.protocols.registry import protocols_of
from reviewer.report.validation_checklist import ROWS, Checklist
from reviewer.results.labels.final_labels import ClosedStudy, read_closed_study
from reviewer.runs.audit.audit_state import audit_state
from reviewer.runs.evaluation.evaluation_settings import evaluation_settings
from reviewer.study.design.design_facts import drawn_words
from reviewer.study.design.inclusion import weighted_strata
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.integrity.quarantine import read_study
from store.cases import find_dataset, get_dataset, places_of
from store.database import Database
from store.evaluations import Evaluations
from store.records import GivenBy, Origin, Release
from store.releases import citation_of, releases_of
from store.revisions import revision_counts
from store.runs import case_making_runs

_Answers = dict[str, str]
_REVEALS = {
    "none": "never",
    "back": "when a rater returns to an answered case and asks for it",
    "findings": "right after the answer, which then stays",
}
_HIDDEN = "findings and values on a question are hidden until it is answered"
_BY_PEOPLE = "no model wrote cases"
_UNSAID = {
    *("population", "guideline", "training", "gold", "repeats", "blinding", "order", "left_out"),
    *("baselines", "recruitment", "consent", "independence", "carry_over"),
}
"""Rows on which most releases say nothing, unless they say that nobody described a topic."""
_IN_RELEASE = {
    "agreement": "reviewer release verify {folder}",
    "release": "reviewer release verify {folder}",
    "changes": f"{{folder}}/{ReleaseFile.CHANGELOG}",
    "guideline": f"{{folder}}/{ReleaseFile.STUDIES}",
}


def checklist_of_study(database: Database, name: str) -> Checklist:
    """The checklist of a study, with what the store knows of its datasets."""
    bundle, events = read_study(database, name)
    given = {event.given for event in events if event.kind == "label"}
    answers = _of_design(bundle, given) | _of_people(bundle)
    if given:
        answers["platform"] = ", ".join(sorted(given))
    if bundle.study.closed_at is not None:
        closed = read_closed_study(database, name)
        answers |= _of_closed(closed)
    datasets = [dataset for dataset in bundle.design.datasets if _is_there(database, dataset)]
    answers |= _of_datasets(database, datasets)
    names = {"study": name, "dataset": " ".join(datasets) or "DATASET", "folder": "FOLDER"}
    see = {"generation": "reviewer datasets"} if _BY_PEOPLE in answers.get("generation", "") else {}
    # Numbers of an open study are not told: its raters have judged, and nobody has to begin.
    add = {"raters": "reviewer study close {study}"} if given else {}
    return Checklist(answers, names, see, add)


def checklist_of_release(content: ReleaseContent, folder: str) -> Checklist:
    """The checklist of a release, from what its folder says."""
    answers: _Answers = {}
    for study in content.studies:
        said = _of_facts(study)
        if study.sample:
            said["sample"] = f"{study.sample} ({counted(study.cases, 'case')})"
        if study.seed is not None:
            said["seed"] = f"random seed {study.seed}"
        if study.weighted:
            said["population"] = f"{counted(study.population, 'case')} could be drawn"
        if study.picked:
            said["carry_over"] = _WEIGHTED if study.weighted else _PICKED
        elif study.weighted:
            said["carry_over"] = _BY_STRATA
        elif study.listed:
            said["carry_over"] = _LISTED
        for key, text in said.items():
            named = f"study {study.name}: {text}" if len(content.studies) > 1 else text
            answers[key] = "; ".join(filter(None, (answers.get(key), named)))
    answers |= _of_content(content)
    names = {"study": content.studies[0].name if content.studies else "STUDY", "dataset": content.dataset}
    own = {row.key: f"{{folder}}/{ReleaseFile.CARD}" for rows in ROWS.values() for row in rows}
    undescribed = {topic for study in content.studies for topic in study.undescribed}
    unsaid = frozenset(_UNSAID - undescribed - answers.keys())
    return Checklist(answers, names | {"folder": folder}, own | _IN_RELEASE, unsaid=unsaid)


_BY_STRATA = "only numbers of the dataset, which are weighted by strata, to the cases that could be drawn"
_LISTED = "no: they are the cases of a list"
_PICKED = "no: they were picked for findings or repairs"
_WEIGHTED = (
    "only numbers of the dataset, which are weighted by strata: cases were picked for findings or repairs"
)


def _of_design(bundle: StudyBundle, given: Collection[GivenBy]) -> _Answers:
    design, cases = bundle.design, counted(len(bundle.counted), "case")
    questions = [family[0] for family in families(bundle.questions)]
    guided = [question for question in questions if question.guideline_parts]
    order = (
        "one random order of cases for all raters"
        if design.stop
        else "a random order of cases for each rater"
    )
    swapped = any(question.sides for question in bundle.questions) and design.swap
    sides = (
        "sides were exchanged at random where a question lets them" if swapped else "sides were not exchanged"
    )
    # This program showed nothing to raters whose labels came from elsewhere.
    shown = not {*given} & {"spreadsheet", "import"}
    answers = {
        "sample": f"{drawn_words(design)} ({cases})",
        "population": _population(design),
        "seed": "nothing was drawn" if design.listed else f"random seed {bundle.study.seed}",
        "carry_over": _carries_over(bundle),
        "questions": _asked([question.title for question in questions]),
        "guideline": f"{len(guided)} of {len(questions)} questions have one" if guided else "",
        "training": f"{counted(design.training, 'case')} with feedback" if design.training else "",
        "gold": f"{counted(design.gold, 'case')}" if design.gold else "",
        "repeats": f"{counted(len(design.repeated), 'case')} shown twice" if design.repeated else "",
        "blinding": f"{_HIDDEN}; findings are shown {_REVEALS[design.reveal]}" if shown else "",
        "order": f"{order}; {sides}" if shown else "",
    }
    return {key: text for key, text in answers.items() if text}


def _asked(titles: Sequence[str]) -> str:
    return f"{counted(len(titles), 'question')}: {enumerated(titles)}" if titles else ""


def _population(design: StudyDesign) -> str:
    held = [numbers for groups in design.population.values() for numbers in groups.values()]
    could = sum(free for _, free in held)
    return f"{could:,} of {counted(sum(cases for cases, _ in held), 'case')} could be drawn" if held else ""


def _carries_over(bundle: StudyBundle) -> str:
    design = bundle.design
    if design.picked:
        return _WEIGHTED if weighted_strata(bundle) else _PICKED
    if design.listed:
        return _LISTED
    if design.draw_hidden:
        return ""
    if design.answers:
        return (
            "shares of the run, which are weighted, to the answers that could be drawn; other numbers do not"
        )
    if weighted_strata(bundle):
        return _BY_STRATA
    return "to the cases that could be drawn"


def _of_people(bundle: StudyBundle) -> _Answers:
    answers: _Answers = {each.topic: each.text for each in bundle.descriptions}
    if said := profile_words(bundle.raters, names=False):
        answers["profile"] = " ".join(said)
    reasons = "; ".join(dict.fromkeys(act.why for act in bundle.excluded.values() if act.why))
    excluded = counted(len(bundle.excluded), "rater")
    answers["left_out"] = f"{excluded}: {reasons}" if bundle.excluded else "nobody's"
    return answers


def _of_closed(closed: ClosedStudy) -> _Answers:
    bundle = closed.bundle
    numbers = study_facts(closed, {place.case for place in bundle.counted})
    return _of_facts(numbers.model_copy(update=study_cautions(closed)))


def _of_facts(study: StudyFacts) -> _Answers:
    """What the numbers of a closed study answer; nothing if it has no labels."""
    if not study.labels:
        return {}
    items = sum(question.items for question in study.questions if question.answer_kind.is_compared)
    raters = counted(study.raters, "rater")
    warned = [f"{kind} {raters:,}" for kind, raters in study.warned.items()]
    answers = {
        "raters": f"{raters}; {study.raters_of_a_case} a case",
        "profile": " ".join(study.people),
        "questions": _asked([question.title for question in study.questions]),
        "platform": ", ".join(study.given),
        "agreement": "; ".join(_agreement(study)) if study.raters > 1 else "",
        "settled": _settled(study),
        "open": _open(study, items),
        "careless": f"warnings, with numbers of raters: {', '.join(warned)}"
        if warned
        else f"no warning about any of {raters}, where times or known answers tell",
        "human": "; ".join(map(human_words, study.human)).rstrip("."),
        "opinions": "; ".join(
            f"{each.opinion} agrees with final labels of {each.question} on {with_interval(each.agreement)}"
            for each in study.opinions
            if each.agreement.value is not None
        ),
    }
    return {key: text for key, text in answers.items() if text}


def _agreement(study: StudyFacts) -> Iterator[str]:
    """Alpha of questions of one label, then the coefficients that other kinds of answers have."""
    one_label = [question for question in study.questions if not has_own(question)]
    if one_label:
        alphas = (f"{question.title} {value_or_reason(question.alpha)}" for question in one_label)
        yield f"Krippendorff's alpha: {', '.join(alphas)}"
    for question in study.questions:
        own = own_agreement(question).items() if has_own(question) else ()
        if of_all := [f"{title} {value_or_reason(held)}" for (label, title), held in own if not label]:
            yield f"{question.title}: {', '.join(of_all)}"


def _settled(study: StudyFacts) -> str:
    """How disagreements were settled; "" where nobody could disagree."""
    if study.most < 2 or not any(question.answer_kind.is_compared for question in study.questions):
        return ""
    if not study.adjudicators and study.most == 2:
        return "not at all: nobody adjudicated, and no label has more than half of two votes"
    if not study.adjudicators:
        return "by labels that more than half of the raters gave; nobody adjudicated"
    return f"{study.adjudicators:,} {agreeing(study.adjudicators, 'person', 'people')} adjudicated"


def _open(study: StudyFacts, items: int) -> str:
    """How many items have labels and no final one; those without any label are named apart."""
    if not items:
        return "answers are free texts, which have no final label"
    without = "; some cases have no label at all" if not study.fewest else ""
    have = agreeing(study.open, "has", "have")
    return f"{study.open:,} of {counted(items, 'item')} {have} labels and no final one{without}"


def _of_content(content: ReleaseContent) -> _Answers:
    """What a release says of its cases."""
    audit, held_out = content.audit, ", without cases that are held out" if content.held_out else ""
    answers = {
        "origins": _origins((each.written, each.cases) for each in content.generators),
        "generation": _runs((run.name, run.model, run.seed) for run in content.generation)
        or ("" if any(each.written != "seed" for each in content.generators) else _BY_PEOPLE),
        "audit": _audit_words(audit),
        "changes": counted(len(content.changes), "change") if content.changes else "none is recorded",
        "baselines": f"on the card: {enumerated([guess.measure for guess in content.guessing])}"
        if content.guessing
        else "",
        "release": f"version {content.version} with the seal {content.seal[:12]}",
        "guideline": f"{ReleaseFile.STUDIES} has each question with its guideline, if it has one"
        if ReleaseFile.LABELS in content.files
        else "",
        "labels": f"yes, of the studies in {ReleaseFile.STUDIES}{held_out}"
        if ReleaseFile.LABELS in content.files
        else "",
        "licence": f"{content.citation.licence}; {', '.join(content.citation.authors)}",
    }
    said: _Answers = {topic: text for topic, text in content.described.items()}  # noqa: C416 (other keys)
    return {key: text for key, text in answers.items() if text} | said


def _audit_words(audit: AuditFacts) -> str:
    """How many contents were audited, what stands, and what could not be tested; "" without an audit."""
    findings = sum(finding.cases for finding in audit.findings)
    untested = f"; not tested by every check: {counted(audit.not_tested, 'case')}" if audit.not_tested else ""
    told = f"findings that stand: {findings:,}{untested}"
    return _by_checks(audit.audited, audit.earlier, f"of {counted(audit.contents, 'case')}", told)


def _by_checks(audited: int, earlier: int, of_all: str, told: str, by: str = "") -> str:
    """How many were audited, and by checks of an earlier version; "" without an audit."""
    of_earlier = f"{earlier:,} {of_all} by earlier checks only" if earlier else ""
    also = f", and {earlier:,} by earlier checks only" if earlier else ""
    return f"{audited:,} {of_all}{by}{also}; {told}" if audited else of_earlier


def _of_datasets(database: Database, datasets: Sequence[str]) -> _Answers:
    """What the store knows of all of these datasets, named where there are several."""
    readers: Mapping[str, Callable[[Database, str], str]] = {
        "origins": _written,
        "generation": _generated,
        "audit": _audited,
        "changes": _changed,
        "baselines": _evaluated,
        "release": _released,
        "labels": _published,
        "licence": _cited,
    }
    answers: _Answers = {}
    for key, read in readers.items():
        found = {dataset: text for dataset in datasets if (text := read(database, dataset))}
        if found and len(found) == len(datasets):
            answers[key] = _joined(found)
    texts = {dataset: described(database, dataset) for dataset in datasets}
    for topic in DATASET_TOPICS:
        said = {dataset: of_it[topic].text for dataset, of_it in texts.items() if topic in of_it}
        if said and len(said) == len(datasets):
            answers[topic] = _joined(said)
    return answers


def _joined(texts: Mapping[str, str]) -> str:
    """The texts, each with the name of its dataset where there are several."""
    named = [f"{dataset}: {text}" for dataset, text in texts.items()]
    return "; ".join(named if len(named) > 1 else texts.values())


def _is_there(database: Database, dataset: str) -> bool:
    with database.read() as session:
        return find_dataset(session, dataset) is not None


def _origins(written: Iterable[tuple[Origin, int]]) -> str:
    """How many cases people and models wrote; nothing if that is unknown of some."""
    counts = Counter[Origin]()
    for origin, cases in written:
        counts[origin] += cases
    if counts["imported"]:
        return ""
    return ", ".join(f"{counts[origin]:,} {words}" for origin, words in ORIGINS.items() if counts[origin])


def _written(database: Database, dataset: str) -> str:
    with database.read() as session:
        return _origins((place.origin, 1) for place in places_of(session, dataset))


def _runs(runs: Iterable[tuple[str, str, int]]) -> str:
    return "; ".join(f"run {name}: {model}, random seed {seed}" for name, model, seed in runs)


def _generated(database: Database, dataset: str) -> str:
    """The recorded runs; nothing where the run of some generated cases is not recorded."""
    with database.read() as session:
        runs = {run.name: run for run in case_making_runs(session)}
        places = [place for place in places_of(session, dataset) if place.origin != "seed"]
    if not places:
        return _BY_PEOPLE
    named = sorted({place.run or "" for place in places})
    return _runs((name, runs[name].model, runs[name].seed) for name in named) if {*named} <= {*runs} else ""


def _audited(database: Database, dataset: str) -> str:
    with database.read() as session:
        protocol = protocols_of(database).usable(get_dataset(session, dataset).protocol)
    if protocol is None:
        return ""
    state = audit_state(database, dataset, protocol)
    of_all, by = f"of {counted(len(state.cases), 'case')}", " by the checks of this version"
    return _by_checks(len(state.current), len(state.earlier), of_all, state.clean_words, by)


def _changed(database: Database, dataset: str) -> str:
    with database.read() as session:
        counts = revision_counts(session).get(dataset)
    return (counts.words if counts else "") or "none in this store"


def _evaluated(database: Database, dataset: str) -> str:
    runs = [run for run in Evaluations(database).runs() if dataset in evaluation_settings(run).datasets]
    return f"next to models in {enumerated([f'run {run.name}' for run in runs])}" if runs else ""


def _releases(database: Database, dataset: str) -> list[Release]:
    with database.read() as session:
        return releases_of(session, [dataset])


def _released(database: Database, dataset: str) -> str:
    return "; ".join(f"{each.version} ({each.seal[:12]})" for each in _releases(database, dataset))


def _published(database: Database, dataset: str) -> str:
    made = _releases(database, dataset)
    held = [each.version for each in made if ReleaseFile.LABELS in each.content["files"]]
    return f"in version {enumerated(held)}, of the studies in {ReleaseFile.STUDIES}" if held else ""


def _cited(database: Database, dataset: str) -> str:
    with database.read() as session:
        citation = citation_of(session, dataset)
    return f"{citation.licence}; {', '.join(citation.authors)}; ask {citation.contact}" if citation else ""
