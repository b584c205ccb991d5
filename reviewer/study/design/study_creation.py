"""Drawing a stratified sample and freezing it as a study."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name, likeness, lookalike_form
from reviewer.core.question import Question
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.study.design.drawn_answers import DrawnAnswers
from reviewer.study.design.joining import new_assignment
from reviewer.study.design.known_answers import GivenAnswer, KnownCase, KnownRole, known_cases
from reviewer.study.design.listed_cases import ListedCase, listed_places
from reviewer.study.design.rater_panels import Panels, balanced_panels, check_third_votes, checked_size
from reviewer.study.design.seeding import derived_seed, shuffled
from reviewer.study.design.strata import (
    DrawnStratum,
    GuessedStratum,
    Strata,
    draw,
    draw_at_random,
    eligible,
    frozen_draw,
    in_dataset_order,
)
from reviewer.study.design.study_design import (
    USUAL,
    Draw,
    FrozenStratum,
    Options,
    StopRule,
    StudyDesign,
    Third,
    WantedRule,
)
from reviewer.study.design.study_questions import (
    OwnGuideline,
    Theme,
    cases_by_question,
    check_groups,
    check_listed,
    study_questions,
)
from reviewer.study.integrity.count_signing import making_count
from store.cases import Filter, PlacedCase, find_dataset, list_places
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import definitions_of, joined_definitions
from store.records import Case, CaseRole, Dataset, Study, StudyCase, View
from store.revisions import withdrawn_places
from store.signed_counts import save_next_count
from store.studies import add_study, find_study
from store.study_log import save_lead

_GREATEST_SEED = 2**63 - 1
_Places = dict[str, list[PlacedCase]]


@dataclass(frozen=True, slots=True)
class _Material:
    """The protocol of some datasets, their cases, and the places whose cases are withdrawn."""

    protocol: Protocol
    available: _Places
    withdrawn: set[tuple[str, str]]

    def drawable(self, dataset: str) -> list[PlacedCase]:
        """The cases of a dataset that are not withdrawn."""
        return [pair for pair in self.available[dataset] if (dataset, pair[0].key) not in self.withdrawn]

    def check_not_withdrawn(self, chosen: Iterable[PlacedCase]) -> None:
        """Raise RequestError if one of the chosen cases is withdrawn."""
        for place, _ in chosen:
            if (place.dataset, place.key) in self.withdrawn:
                raise RequestError(
                    f"case {place.key!r} of dataset {place.dataset!r} is withdrawn, so no new study can have "
                    f"it; see `reviewer datasets history {place.dataset}`."
                )


@dataclass(frozen=True, slots=True)
class Design:
    """The choices for a new study: datasets, how many cases per group (None: all), raters and options.

    ``total`` is the number of cases in all, instead of a number per group; they are spread evenly over the
    groups. Cases with a ``given`` answer are training or gold cases and are not drawn. ``only`` restricts the
    draw to the cases with these digests; None means no restriction. If cases are ``listed``, the sample is
    exactly these, in this order. ``questions`` are the names of the chosen questions (none: all), and
    ``guidelines`` the lead's own ones. ``revised_since`` is the day since which the ``only`` cases were
    repaired, if so. ``before`` are the contents before their repairs (digest → digest), if raters see both.
    ``raters_per_case`` is how many of the raters see each case (None: all). ``others`` is how many cases that
    are not among ``only`` are drawn beside these, spread evenly over the groups. With ``strata`` the total is
    allocated to these instead of the groups. ``answers`` are answers of models that were drawn already: they
    are the whole sample, and become a dataset of their own. ``third``: another rater is asked where two
    differ. ``stop``: the claim for which the study may be stopped early.
    """

    datasets: tuple[str, ...]
    per_group: int | None
    seed: int
    view: View = "full"
    include_seeds: bool = False
    raters: tuple[str, ...] = ()
    options: Options = USUAL
    given: tuple[GivenAnswer, ...] = ()
    only: frozenset[str] | None = None
    listed: tuple[ListedCase, ...] = ()
    questions: tuple[str, ...] = ()
    guidelines: tuple[OwnGuideline, ...] = ()
    total: int | None = None
    revised_since: str = ""
    before: Mapping[str, str] = field(default_factory=dict)
    raters_per_case: int | None = None
    others: int = 0
    strata: Strata | None = None
    answers: DrawnAnswers | None = None
    themes: tuple[Theme, ...] = ()
    """What replaces the themes of the protocol's question on these; none: its own."""
    third: Third = ""
    stop: WantedRule | None = None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The counted cases, the cases with known answers, and the digests of cases that are shown twice.

    ``panels`` has the raters of each counted case; it is empty if all raters see all cases. ``draw`` has the
    strata of the counted cases, if they give the probabilities of inclusion.
    """

    counted: list[PlacedCase]
    known: list[KnownCase]
    repeated: tuple[str, ...]
    panels: Panels = field(default_factory=dict)
    draw: Draw | None = None

    def known_of(self, role: KnownRole) -> list[KnownCase]:
        return [known for known in self.known if known.role == role]

    def seen_by(self, rater: str) -> "_Drawn":
        """What one rater sees of it."""
        mine = [placed for placed in self.counted if rater in self.panels[placed[1].digest]]
        seen = {case.digest for _, case in mine}
        return _Drawn(mine, self.known, tuple(case for case in self.repeated if case in seen))


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """What a design would draw: cases by dataset and group, and the verdicts that each rater gives.

    ``strata`` are those that the lead asked for.
    """

    groups: Mapping[tuple[str, str], int]
    questions: int
    verdicts: int
    repeated: int
    training: int
    gold: int
    strata: tuple[FrozenStratum, ...] = ()

    @property
    def cases(self) -> int:
        """The drawn cases, without those with known answers."""
        return sum(self.groups.values())


class StudyPlanner:
    """Plans the samples of designs, with the datasets read once. Nothing is saved."""

    def __init__(self, database: Database) -> None:
        self._database, self._read = database, dict[tuple[str, ...], _Material]()

    def plan(self, design: Design) -> StudyPlan:
        """What ``create_study`` would draw; raises RequestError where it would."""
        names = _named_datasets(design)
        if names not in self._read:
            self._read[names] = _material(self._database, names)
        material = self._read[names]
        protocol = material.protocol
        questions = study_questions(protocol, design.questions, design.guidelines, design.themes)
        drawn = _drawn(material, design)
        asked = cases_by_question(protocol, questions, [case for _, case in drawn.counted])
        return StudyPlan(
            Counter((place.dataset, case.group) for place, case in drawn.counted),
            sum(map(bool, asked.values())),
            max(_owed_by(protocol, questions, drawn).values(), default=_owed(protocol, questions, drawn)),
            len(drawn.repeated),
            len(drawn.known_of("training")),
            len(drawn.known_of("gold")),
            drawn.draw.strata if drawn.draw and design.strata else (),
        )


def create_study(database: Database, name: str, design: Design, lead: str | None = None) -> Study:
    """Draw the sample and save the study, with its maker as its ``lead`` if a name is given.

    If that is not possible, raises RequestError and saves nothing.
    """
    _check_names_and_seed(name, design, lead)
    with database.read() as session:
        if find_study(session, name) is not None:
            raise RequestError(f"study {name!r} already exists; choose another name.")
    material = (
        _of_answers(database, design.answers)
        if design.answers
        else _material(database, _named_datasets(design))
    )
    questions = study_questions(material.protocol, design.questions, design.guidelines, design.themes)
    if design.options.swap and not any(question.sides for question in questions):
        raise RequestError(
            f"no question of protocol {material.protocol.name!r} lets the sides be exchanged; "
            "leave --swap out."
        )
    drawn = _drawn(material, design)
    stop = _stop_rule(material, design, design.stop, questions, drawn) if design.stop else None
    asked = cases_by_question(material.protocol, questions, [case for _, case in drawn.counted])
    _check_asked(design, drawn, asked)
    population = _population(material, design, drawn)
    withdrawn = Counter(dataset for dataset, _ in material.withdrawn if dataset in design.datasets)
    study = _frozen_study(
        name, material.protocol, questions, design, drawn, asked, population, withdrawn, stop
    )
    raters = [new_assignment(study, rater, study.created_at) for rater in dict.fromkeys(design.raters)]
    answers = [record for known in drawn.known for record in known.records(name)]
    sample = _sample(name, design.seed, drawn)
    also = [partial(save_next_count, name, making_count("new"))]
    if lead is not None:
        also.insert(0, partial(save_lead, name, lead))  # before the count, which covers it
    placing = design.answers.placing(study.created_at) if design.answers else None
    add_study(database, study, sample, raters, answers, also, placing)
    return study


def _of_answers(database: Database, drawn: DrawnAnswers) -> _Material:
    """The drawn answers, whose dataset is made with the study."""
    with database.read() as session:
        if find_dataset(session, checked_name("dataset", drawn.dataset)) is not None:
            raise RequestError(
                f"the answers would become dataset {drawn.dataset!r}, which already exists; choose another "
                "name for the study."
            )
    places = [(entry.place, entry.case) for entry in drawn.entries]
    return _Material(protocols_of(database).named(drawn.protocol), {drawn.dataset: places}, set())


def _named_datasets(design: Design) -> tuple[str, ...]:
    named = [answer.dataset for answer in design.given]
    named += [entry.dataset for entry in design.listed if entry.dataset]
    return tuple(dict.fromkeys([*design.datasets, *named]))


def _material(database: Database, datasets: tuple[str, ...]) -> _Material:
    with database.read() as session:
        datasets_by_name = {dataset: find_dataset(session, dataset) for dataset in datasets}
        protocol = _common_protocol(protocols_of(database), datasets_by_name)
        protocol = protocol.defining(joined_definitions(definitions_of(session, datasets)))
        places = {dataset: list_places(session, Filter(datasets=(dataset,))) for dataset in datasets}
        return _Material(protocol, places, withdrawn_places(session, datasets))


def _drawn(material: _Material, design: Design) -> _Drawn:
    protocol, available = material.protocol, material.available
    places = {
        (place.dataset, place.key): (place, case) for held in available.values() for place, case in held
    }
    known = known_cases(protocol, design.given, places)
    material.check_not_withdrawn(known_case.place for known_case in known)
    digests = {known_case.place[1].digest for known_case in known}
    unknown = {
        dataset: [place for place in material.drawable(dataset) if place[1].digest not in digests]
        for dataset in design.datasets
    }
    if design.answers:
        counted, how = [*available[design.answers.dataset]], design.answers.draw
    elif design.listed:
        counted, how = listed_places(design.listed, available, design.datasets, digests), None
        material.check_not_withdrawn(counted)
    else:
        counted, how = _draw(protocol, unknown, design)
    size = checked_size(design.raters_per_case, design.raters, len(counted))
    groups = {case.digest: case.group for _, case in counted}
    panels = {} if size is None else balanced_panels(groups, design.raters, size, design.seed)
    return _Drawn(counted, known, _repeated(counted, design), panels, how)


def _draw(protocol: Protocol, places: _Places, design: Design) -> tuple[list[PlacedCase], Draw | None]:
    """The drawn cases, and the strata that they were drawn from if these give probabilities of inclusion."""
    if design.stop is not None:
        return _draw_in_random_order(protocol, places, design)
    if design.strata is not None:
        return _draw_from_strata(protocol, places, design, design.strata)
    picked = _among(places, lambda case: design.only is None or case.digest in design.only)
    for dataset, placed in picked.items():
        check_listed(protocol, dataset, [case for _, case in placed])
    free = {dataset: eligible(held, design.include_seeds) for dataset, held in picked.items()}
    drawn = draw(protocol, free, design.seed, per_group=design.per_group, total=design.total)
    if design.others:
        rest = _others(places, design)
        others = draw(protocol, rest, design.seed, total=design.others, option="--others")
        drawn = [*_named("picked", drawn), *_named("other", others)]
        free = {dataset: [*held, *rest[dataset]] for dataset, held in free.items()}
    strata = frozen_draw(free, drawn)
    return in_dataset_order(protocol, free, drawn), Draw(strata=strata) if strata else None


def _draw_in_random_order(
    protocol: Protocol, places: _Places, design: Design
) -> tuple[list[PlacedCase], Draw | None]:
    """A simple random draw from one dataset: every beginning in random order speaks for the whole."""
    if len(places) > 1 or design.per_group is not None or design.strata is not None or design.others:
        raise RequestError(
            "a stop rule needs cases that all had the same probability of being drawn: give one --dataset "
            "and --total, or all cases, and leave out --per-group, --strata and --others."
        )
    picked = _among(places, lambda case: design.only is None or case.digest in design.only)
    free = {dataset: eligible(held, design.include_seeds) for dataset, held in picked.items()}
    drawn = draw_at_random(free, design.seed, design.total)
    return in_dataset_order(protocol, free, drawn), Draw(strata=frozen_draw(free, drawn))


def strata_to_draw(
    database: Database, datasets: tuple[str, ...], strata: Strata, *, include_seeds: bool
) -> list[GuessedStratum]:
    """The strata of all cases that a new study could draw from these datasets; raises RequestError."""
    material = _material(database, datasets)
    return strata.guessed(
        {dataset: eligible(material.drawable(dataset), include_seeds) for dataset in datasets}
    )


def _draw_from_strata(
    protocol: Protocol, places: _Places, design: Design, strata: Strata
) -> tuple[list[PlacedCase], Draw]:
    """The cases that are drawn from the lead's own strata."""
    if design.total is None or design.per_group is not None or design.only is not None:
        raise RequestError(
            "strata are drawn from all cases of a dataset, and a total is allocated to them; give --total, "
            "and leave out --per-group, --finding, --others and --revised-since."
        )
    free = {dataset: eligible(held, design.include_seeds) for dataset, held in places.items()}
    drawn = strata.draw(free, design.seed, design.total)
    kept = Draw(
        strata=tuple(stratum.frozen() for stratum in drawn),
        by=strata.by,
        allocation=strata.allocation,
        guesses=strata.assumed(free),
        guessed_from=strata.guessed_from,
    )
    return in_dataset_order(protocol, free, drawn), kept


def _others(places: _Places, design: Design) -> _Places:
    """The cases that may stand beside the picked ones."""
    only = design.only
    if only is None:
        raise RequestError("other cases are drawn beside picked ones only; name a finding, or give a total.")
    drawable = {dataset: eligible(held, design.include_seeds) for dataset, held in places.items()}
    return _among(drawable, lambda case: case.digest not in only)


def _among(places: _Places, wanted: Callable[[Case], bool]) -> _Places:
    return {dataset: [placed for placed in held if wanted(placed[1])] for dataset, held in places.items()}


def _named(part: str, drawn: Iterable[DrawnStratum]) -> list[DrawnStratum]:
    return [replace(stratum, name=f"{part} / {stratum.name}") for stratum in drawn]


def _repeated(counted: list[PlacedCase], design: Design) -> tuple[str, ...]:
    """Digests of the cases that are shown twice. They are the same for every rater."""
    share = design.options.repeats
    wanted = max(1, round(share * len(counted))) if share else 0
    return tuple(
        shuffled((case.digest for _, case in counted), derived_seed(design.seed, "repeats"))[:wanted]
    )


def _sample(study: str, seed: int, drawn: _Drawn) -> list[StudyCase]:
    """The sample: counted and gold cases mixed, so that positions do not reveal gold cases; training last."""
    gold = {known.place[1].digest: known.place for known in drawn.known_of("gold")}
    blind = list(drawn.counted)
    if gold:
        mixed = {case.digest: (place, case) for place, case in [*drawn.counted, *gold.values()]}
        blind = [mixed[digest] for digest in shuffled(mixed, derived_seed(seed, "places"))]
    roles: list[tuple[PlacedCase, CaseRole]] = [
        (place, "gold" if place[1].digest in gold else "counted") for place in blind
    ]
    roles += [(known.place, "training") for known in drawn.known_of("training")]
    return [
        StudyCase(
            study=study,
            case=case.digest,
            position=position,
            dataset=place.dataset,
            key=place.key,
            group=case.group,
            generator=place.generator,
            role=role,
        )
        for position, ((place, case), role) in enumerate(roles)
    ]


def _check_names_and_seed(name: str, design: Design, lead: str | None) -> None:
    checked_name("study", name)
    alike: dict[str, str] = {}
    for rater in design.raters:
        other = alike.setdefault(lookalike_form(checked_name("rater", rater)), rater)
        if other != rater:
            raise RequestError(
                f"raters {other!r} and {rater!r} look alike ({likeness(rater, other)}); "
                "give one of them another name."
            )
    if lead is not None:
        checked_name("lead", lead)
    if design.total is not None and design.per_group is not None:
        raise RequestError("give the cases per group or their total, not both.")
    if abs(design.seed) > _GREATEST_SEED:
        raise RequestError(f"seed {design.seed} is too large; use a whole number of at most 18 digits.")
    if design.third:
        check_third_votes(design.raters_per_case, design.raters)
    if design.options.confidence and design.options.reveal == "findings":
        raise RequestError(
            "a rater who sees the findings right after an answer says too late how sure they were of it; "
            "take either --confidence or findings after the answer (--reveal findings)."
        )
    if design.options.repeats and design.options.reveal == "findings":
        raise RequestError(
            "a rater who has seen the findings on a case cannot judge it again independently; "
            "take either repeats (--repeats) or findings after the answer (--reveal findings)."
        )


def _population(material: _Material, design: Design, drawn: _Drawn) -> dict[str, dict[str, tuple[int, int]]]:
    """Dataset → group → (number of different cases, number of those that could be drawn)."""
    if design.answers:
        sizes = design.answers.population.items()
        return {design.answers.dataset: {group: (size, size) for group, size in sizes}}
    known = {known_case.place[1].digest for known_case in drawn.known}
    population: dict[str, dict[str, tuple[int, int]]] = {}
    for dataset in design.datasets:
        places = material.available[dataset]
        drawable = eligible(material.drawable(dataset), design.include_seeds)
        free = {case.digest for _, case in drawable} - known
        free = free if design.only is None or design.others else free & design.only
        held: dict[str, set[str]] = defaultdict(set)
        for _, case in places:
            held[case.group].add(case.digest)
        population[dataset] = {group: (len(cases), len(cases & free)) for group, cases in held.items()}
    return population


def _frozen_study(
    name: str,
    protocol: Protocol,
    questions: Sequence[Question],
    design: Design,
    drawn: _Drawn,
    asked: Mapping[str, int],
    population: Mapping[str, Mapping[str, tuple[int, int]]],
    withdrawn: Mapping[str, int],
    stop: StopRule | None,
) -> Study:
    """The study, with every question that is asked about any of its cases, and the drawn numbers."""
    counted = drawn.counted
    shown = [case for _, case in [*counted, *(known.place for known in drawn.known)]]
    check_groups(protocol, questions, shown)
    owed_by = _owed_by(protocol, questions, drawn)
    return Study(
        name=name,
        protocol=protocol.reference,
        seed=design.seed,
        view=design.view,
        design=StudyDesign(
            **design.options.model_dump(),
            datasets=tuple(dict.fromkeys(place.dataset for place, _ in counted))
            if design.listed
            else design.datasets,
            per_group=design.per_group,
            total=design.total,
            include_seeds=design.include_seeds,
            raters_declared=bool(design.raters),
            picked=design.only is not None,
            listed=bool(design.listed),
            answers=design.answers.source if design.answers else None,
            revised_since=design.revised_since,
            before={
                case.digest: design.before[case.digest] for _, case in counted if case.digest in design.before
            },
            cases=len(counted),
            population=population,
            withdrawn=withdrawn,
            lacking=_lacking(protocol, counted),
            asked={key: count for key, count in asked.items() if count},
            training=len(drawn.known_of("training")),
            gold=len(drawn.known_of("gold")),
            repeated=drawn.repeated,
            definitions={
                group: protocol.definitions[group]
                for group in sorted({case.group for case in shown})
                if group in protocol.definitions
            },
            owed=max(owed_by.values(), default=_owed(protocol, questions, drawn)),
            raters_per_case=design.raters_per_case,
            others=design.others,
            draw=drawn.draw,
            panels=drawn.panels,
            owed_by=owed_by,
            third=design.third,
            stop=stop,
        ).as_json(),
        questions=[q.model_dump(mode="json") for q in questions if asked[q.key]],
        created_at=instant(now_ms()),
    )


def _owed(protocol: Protocol, questions: Sequence[Question], drawn: _Drawn) -> int:
    """How many verdicts each rater gives in all: on training, counted and gold cases, and repeats."""
    by_digest = {case.digest: case for _, case in drawn.counted}
    shown = [
        *by_digest.values(),
        *(by_digest[digest] for digest in drawn.repeated),
        *(known.place[1] for known in drawn.known_of("gold")),
    ]
    training = sum(len(known.answers) for known in drawn.known_of("training"))
    return sum(cases_by_question(protocol, questions, shown).values()) + training


def _owed_by(protocol: Protocol, questions: Sequence[Question], drawn: _Drawn) -> dict[str, int]:
    """How many verdicts each rater gives in all, if raters see different cases."""
    raters = sorted({rater for panel in drawn.panels.values() for rater in panel})
    return {rater: _owed(protocol, questions, drawn.seen_by(rater)) for rater in raters}


def _stop_rule(
    material: _Material, design: Design, wanted: WantedRule, questions: Sequence[Question], drawn: _Drawn
) -> StopRule:
    """The stop rule with the cases that it speaks of; raises RequestError where it cannot be kept."""
    if design.answers is not None:
        raise RequestError("a stop rule speaks of the cases of a dataset; leave out --answers or --stop.")
    if not design.raters:
        raise RequestError("a stop rule needs to know when a case is complete; name the raters with --rater.")
    free = [case for _, case in drawn.counted]
    if not design.listed:
        known = {known_case.place[1].digest for known_case in drawn.known}
        held = eligible(material.drawable(design.datasets[0]), design.include_seeds)
        may = {case.digest: case for _, case in held if design.only is None or case.digest in design.only}
        free = [case for digest, case in may.items() if digest not in known]
    meant = wanted.asked(questions)
    sizes = {q.key: sum(material.protocol.asks(q, case) for case in free) for q in meant}
    return StopRule(above=wanted.above, sizes={key: size for key, size in sizes.items() if size})


def _check_asked(design: Design, drawn: _Drawn, asked: Mapping[str, int]) -> None:
    """Raise an error if no drawn case is asked any question, a chosen one, or one with a known answer."""
    if drawn.counted and not any(asked.values()):
        raise RequestError(
            f"none of the questions ({', '.join(asked)}) applies to any of these cases, so there is nothing "
            "to answer; choose other cases or questions."
        )
    if design.questions and (never := [key for key, count in asked.items() if not count]):
        raise RequestError(
            f"{never[0]!r} is not asked about any drawn case; choose other questions or cases."
        )
    for known_case in drawn.known:
        for key, answer in known_case.answers.items():
            if not asked.get(key):
                raise InputError(
                    answer.where, f"{key!r} is not asked about any drawn case", "leave the line out"
                )


def _lacking(protocol: Protocol, places: list[PlacedCase]) -> dict[str, tuple[str, ...]]:
    """Dataset → the groups of the protocol without a drawn case, for datasets that have such groups."""
    drawn = {(place.dataset, case.group) for place, case in places}
    known = [group.name for group in protocol.groups] or protocol.groups_among(
        case.group for _, case in places
    )
    lacking = {
        dataset: tuple(group for group in known if (dataset, group) not in drawn)
        for dataset in dict.fromkeys(place.dataset for place, _ in places)
    }
    return {dataset: groups for dataset, groups in lacking.items() if groups}


def _common_protocol(protocols: Protocols, found: Mapping[str, Dataset | None]) -> Protocol:
    if not found:
        raise RequestError("a study needs a dataset to draw from; give --dataset.")
    for name, dataset in found.items():
        if dataset is None:
            raise RequestError(f"dataset {name!r} is not in the store; see `reviewer datasets`.")
    names = sorted({dataset.protocol for dataset in found.values() if dataset})
    if len(names) > 1:
        raise RequestError(
            f"the datasets belong to different protocols ({', '.join(names)}); choose datasets of one."
        )
    return protocols.named(names[0])
