"""Decides what raters, adjudicators and other readers may see; ``blinded_panes`` decides what of a case.

No other module decides this.

Each function is named after the question that it answers. A ``why_not`` function returns the reason as a
sentence for people, or None if they are allowed. Home asks it before SQLAlchemy is loaded.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING

from reviewer.core.sanitize import agreeing, enumerated
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_design import StudyDesign
from reviewer.study.session.blinded_panes import is_labelled, showings
from reviewer.study.session.rater_progress import StudyProgress, owed_in_words, progress_of, study_progress
from reviewer.study.session.verdicts import History, Slot

if TYPE_CHECKING:
    from reviewer.protocols.base import Protocol
    from reviewer.protocols.registry import Protocols
    from reviewer.study.design.study_bundle import StudyBundle
    from store.database import Database
    from store.records import Assignment, JsonValue, Membership, Study, StudyAct, StudyCase

_HIDDEN = "hidden"
"""Stands in tables of results for generators that somebody may not see yet."""

# -- what others answered --------------------------------------------------------------------------


def may_see_others_answers(progress: StudyProgress, person: str) -> bool:
    """Whether this person may see others' answers.

    Everybody may once the study is closed, raters once they have finished, and leads who are not raters once
    all raters have finished.
    """
    if progress.study.closed_at is not None or _has_finished(progress, person):
        return True
    return _only_leads(progress, person) and progress.finished


def why_not_warnings(database: "Database", progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see warnings about raters, their work and comments; None if they
    may: leads may, once they owe no verdict about these cases themselves, here or in another study."""
    name = progress.study.name
    if person not in progress.leads or why_not_lead(progress, person) is not None:
        return (
            f"Only leads of study {name!r} without open cases in it see its raters' work and answer their "
            f"comments; {person!r} is not one of them."
        )
    return why_not_shared_cases(database, person, name)


def why_not_agreement(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see the agreement; None if they may."""
    if may_see_others_answers(progress, person):
        return None
    if _only_leads(progress, person):
        waiting = owed_in_words(progress) or "nobody has begun"
        return (
            "Raters judge alone. As the study's lead you can see the agreement when all raters have finished "
            f"or when the study is closed: {waiting}."
        )
    own, name = progress.own(person), progress.study.name
    if own is not None and own.finished:
        return why_third_votes_may_come(progress)
    done = f"you have answered {own.done:,} of {own.slots:,}" if own else "you have not begun"
    lead = "" if own else f" If you lead the study, run `reviewer study lead {name} {person}`."
    return (
        f"Raters judge alone. You can see the agreement when you have answered everything ({done}) "
        f"or when the study is closed.{lead}"
    )


def why_not_others_answers(database: "Database", progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see others' answers now; None if they may.

    It asks for this study, and for open ones with some of its cases.
    """
    reason = why_not_agreement(progress, person)
    return reason or why_not_shared_cases(database, person, progress.study.name)


def why_not_for_others(progress: StudyProgress, person: str, raters: Iterable[str]) -> str | None:
    """A sentence on why this person may not act for other raters of the study; None if they may.

    A rater who owes answers may not, unless they lead the study: packs, links and imports of others tell or
    change what these answered.
    """
    own, others = progress.own(person), sorted({*raters} - {person})
    free = own is None or person in progress.leads or progress.study.closed_at is not None
    if free or not others or _has_finished(progress, person):
        return None
    if own is not None and own.finished:
        return why_third_votes_may_come(progress)
    return (
        f"You still have cases of study {progress.study.name} to answer, and this would tell or change what "
        f"{enumerated(others[:3])} answered. Finish them first, or ask the study's lead to do it."
    )


def why_not_results(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see labels and numbers of the study; None if they may.

    People who are neither raters nor leads of the study may: a rater whom they tell is not held back by us.
    """
    takes_part = person in progress.leads or progress.own(person) is not None
    return why_not_agreement(progress, person) if takes_part else None


def why_not_shared_cases(database: "Database", person: str, study: str) -> str | None:
    """A sentence on why this person may not see labels and opinions of a study because of another one.

    They still owe answers about some of the same cases there. None if they may.
    """
    owed = [progress for progress, _cases in _owed_with_its_cases(database, study, person)]
    if not owed:
        return None
    return (
        f"{_still(owed, person)} cases of study {study} to answer in {studies_in_words(_names(owed))}, and "
        f"what was said of them here would influence your answers. Finish {_them(owed)} first, or close "
        f"{_them(owed)}."
    )


def owed_elsewhere(database: "Database", study: "Study", person: str) -> dict[tuple[str, str], str]:
    """Cases of a study, each with a question about it that this person has still to answer or, as an
    adjudicator, to decide in another study → the name of that study.

    A pack holds no other study: it lists the answers that its rater owed when it was made.
    """
    packed = {(case, question): other for case, question, other in StudyDesign.of(study).owed_elsewhere}
    answers = {
        (slot.case, slot.question): progress.study.name
        for progress, cases in _owed_with_its_cases(database, study.name, person)
        for slot in _unanswered(database, progress, cases, person)
    }
    return {**packed, **_undecided_elsewhere(database, study.name, person), **answers}


def owed_in_pack(progress: StudyProgress, case: str) -> set[str]:
    """The studies in which a pack's rater owed an answer about a case when the pack was made."""
    owed = StudyDesign.of(progress.study).owed_elsewhere
    return {other for digest, _question, other in owed if digest == case}


def _undecided_elsewhere(database: "Database", study: str, person: str) -> dict[tuple[str, str], str]:
    from reviewer.study.adjudication.open_disputes import undecided_slots
    from store.studies import shared_cases

    with database.read() as session:
        shared = shared_cases(session, study)
    return {
        (slot.case, slot.question): other
        for other, cases in shared.items()
        if adjudicates(database, other, person)
        for slot in undecided_slots(database, other)
        if slot.case in {*cases}
    }


def _owed_with_its_cases(
    database: "Database", study: str, person: str
) -> Iterator[tuple[StudyProgress, list[str]]]:
    """The other studies in which this person owes answers, each with the cases of this study that it has."""
    from store.studies import shared_cases

    with database.read() as session:
        shared = shared_cases(session, study)
    for progress in owed_by(study_progress(database), person) if shared else ():
        if cases := shared.get(progress.study.name):
            yield progress, cases


def _unanswered(
    database: "Database", progress: StudyProgress, cases: Iterable[str], rater: str
) -> Iterator[Slot]:
    """The slots of cases in a study that its rater has not answered yet."""
    from store.ledger import Ledger

    study, design = progress.study, StudyDesign.of(progress.study)
    history = History.of(Ledger(database).events(study.name, rater))
    for case in cases:
        for question in study.questions if design.asks_of(rater, case) else ():
            for slot in showings(design.repeated, Slot(case, question["key"])):
                if not is_labelled(history, slot):
                    yield slot


def why_not_judges(progress: StudyProgress, *, in_pack: bool = False) -> str | None:
    """A sentence on why nobody may see yet how opinions compare with labels; None if everybody may.

    The opinions would influence raters who still have cases to answer, no matter who passes them on. A pack
    does not tell whether its study has such raters.
    """
    if in_pack:
        return (
            f"study {progress.study.name!r} came here in a pack, and other raters may have cases to answer; "
            "opinions are compared in the store that the pack was made in."
        )
    if progress.study.closed_at is not None or progress.finished:
        return None
    waiting = owed_in_words(progress) or "nobody has begun"
    return (
        "Raters judge alone. Opinions on the questions are shown when all raters have finished or when the "
        f"study is closed: {waiting}."
    )


def why_not_ask_judges(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not ask judges of the study, or learn who they are; None if they may.

    Raters with open cases may not unless they lead the study: who leads it declares the machine rater.
    """
    if person in progress.leads or not _owes(progress, person):
        return None
    return (
        f"You still have cases of study {progress.study.name} to answer, and models that judge them would "
        "influence your answers. Finish them first, or ask the study's lead to do it."
    )


def studies_with_hidden_judges(studies: Iterable[StudyProgress], person: str) -> frozenset[str]:
    """The studies whose judges this person may not learn of yet."""
    return frozenset(known.study.name for known in studies if why_not_ask_judges(known, person))


def why_not_opinions(database: "Database", study: str, person: str) -> str | None:
    """A sentence on why this person may not see opinions of machines on cases of a study; None if they may.

    Its adjudicators may once they have decided the disputes. ``why_not_judges`` asks for its raters.
    """
    if not _has_undecided(database, study, person):
        return None
    return (
        f"You still have cases of study {study} to adjudicate, and opinions of machines on them would "
        "influence your decisions. Decide them first."
    )


def why_not_lead(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not be named as lead; None if they may.

    Raters with open cases may not: a lead sees how others answer before the study ends.
    """
    own, name = progress.own(person), progress.study.name
    if own is None or _has_finished(progress, person) or progress.study.closed_at is not None:
        return None
    if own.finished:
        return why_third_votes_may_come(progress, person)
    return (
        f"{person!r} is a rater of study {name!r} and has answered {own.done:,} of {own.slots:,}; "
        "a rater can be named as lead when they have answered everything."
    )


def why_not_direct(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not close the study or leave raters out of it; None if they may.

    Raters with open cases may not unless they lead the study. Closing shows them the answers of others.
    """
    if person in progress.leads or not _owes(progress, person):
        return None
    return (
        f"{person!r} is a rater of study {progress.study.name!r} with open cases; its lead can do this "
        f"({', '.join(progress.leads) or 'nobody is named yet'}), or {person!r} after answering everything."
    )


def why_not_reopen(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not open a closed study again; None if they may.

    Raters could see the answers of others while it was closed, so none of them opens it for their own ones.
    """
    own = progress.own(person)
    if own is None or own.finished:
        return None
    return (
        f"{person!r} is a rater of study {progress.study.name!r} with open cases, and could see the answers "
        "of others while it was closed; somebody who does not rate in it can open it again."
    )


def why_not_rate(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not join a study as a rater; None if they may.

    Leads may not join once they can see what others answered.
    """
    if not (_only_leads(progress, person) and may_see_others_answers(progress, person)):
        return None
    name = progress.study.name
    return (
        f"{person!r} leads study {name!r} and can see its verdicts, because all its raters have finished; "
        "to rate in it, give another name."
    )


def may_see_generators(protocol: "Protocol", *, owes: bool) -> bool:
    """Whether somebody may learn who wrote cases, given whether they owe answers or decisions about them."""
    return not (owes and protocol.hides_generators)


def may_filter_by_generator(
    database: "Database", bundle: "StudyBundle", person: str, *, finished: bool
) -> bool:
    """Whether a rater may filter their cases by who wrote them: not before their answers and decisions."""
    owes = (bundle.study.closed_at is None and not finished) or bool(bundle.owed_elsewhere)
    if may_see_generators(bundle.protocol, owes=True):
        return True
    return not owes and not _has_undecided(database, bundle.study.name, person)


def why_not_draw(database: "Database", progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see strata, weights and how cases were chosen; None if they may.

    Strata are made of findings and opinions of machines, so raters see them once the study is closed, and
    adjudicators once they have decided everything.
    """
    name = progress.study.name
    if progress.study.closed_at is None and progress.own(person) is not None:
        return f"Raters see how the cases of study {name} were chosen when it is closed."
    if _has_undecided(database, name, person):
        return f"Adjudicators see how the cases of study {name} were chosen when they have decided them."
    return why_not_shared_cases(database, person, name)


def without_draw(study: "Study") -> "Study":
    """A study as people see it who may not see how its cases were chosen, if that was not by group alone."""
    hidden = {"draw", "picked", "others", "answers"}
    draw = study.design.get("draw")
    chosen = bool(study.design.get("picked") or (isinstance(draw, dict) and draw.get("by")))
    design = {name: value for name, value in study.design.items() if name not in hidden}
    return study.model_copy(update={"design": design | ({"draw_hidden": True} if chosen else {})})


def as_drawn_for(
    database: "Database", bundle: "StudyBundle", person: str, progress: StudyProgress | None = None
) -> "StudyBundle":
    """The study without those details of its draw and generators that this person may not see yet.

    Its ``progress`` is read unless a caller has just read it.
    """
    progress = progress or progress_of(database, bundle.study.name)
    if why_not_draw(database, progress, person) is None:
        return bundle
    hidden = replace(bundle, study=without_draw(bundle.study))
    if may_see_generators(bundle.protocol, owes=_has_undecided(database, bundle.study.name, person)):
        return hidden
    unnamed = (place.model_copy(update={"generator": _HIDDEN}) for place in bundle.sample)
    return replace(hidden, sample=tuple(unnamed))


def as_drawn_in_files(database: "Database", bundle: "StudyBundle", person: str) -> "StudyBundle":
    """The study without details of its draw that files may not hold: files can reach its raters."""
    from reviewer.study.design.inclusion import weighted_strata

    if bundle.study.closed_at is not None:
        return as_drawn_for(database, bundle, person)
    hidden = without_draw(bundle.study)
    if not hidden.design.get("draw_hidden") and not weighted_strata(bundle):
        return bundle
    return replace(bundle, study=hidden.model_copy(update={"design": {**hidden.design, "draw_hidden": True}}))


def generators_told_by_names(protocol: "Protocol", sample: "Iterable[StudyCase]") -> list[str]:
    """The hidden generators whose name occurs in a dataset's name or a key, which raters see."""
    if may_see_generators(protocol, owes=True):
        return []
    named = {
        place.generator
        for place in sample
        if place.generator and _has_word(f"{place.dataset} {place.key}", place.generator)
    }
    return sorted(named)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text.casefold()) is not None


def without_generator(place: "Membership") -> "Membership":
    """A case's place as somebody sees it who may not learn who wrote the case."""
    return place.model_copy(update={"generator": "", "extra": {}})


def hidden_datasets(
    database: "Database", protocols: "Protocols", studies: Iterable[StudyProgress], person: str
) -> frozenset[str]:
    """The datasets whose generators this person may not see: they owe answers or decisions about cases."""
    hiding = [
        progress
        for progress in studies
        if (known := protocols.usable(progress.study.protocol)) is None
        or not may_see_generators(known, owes=True)
    ]
    waiting = [*owed_by(hiding, person), *_undecided(database, hiding, person)]
    return frozenset(chain.from_iterable(datasets for _, datasets in _with_datasets(database, waiting)))


def owed_by_dataset(
    database: "Database", studies: Iterable[StudyProgress], person: str
) -> dict[str, list[StudyProgress]]:
    """Dataset → the open studies in which this person still has cases of it to answer."""
    owed: dict[str, list[StudyProgress]] = {}
    for progress, datasets in _with_datasets(database, owed_by(studies, person)):
        for dataset in datasets:
            owed.setdefault(dataset, []).append(progress)
    return owed


def owed_by(studies: Iterable[StudyProgress], person: str) -> list[StudyProgress]:
    """The open studies in which this person still has cases to answer."""
    return [progress for progress in studies if _owes(progress, person)]


def _with_datasets(
    database: "Database", studies: Sequence[StudyProgress]
) -> list[tuple[StudyProgress, set[str]]]:
    """Studies, each with the datasets that hold cases of it.

    A merged dataset or a copy holds the same cases under another name. Answers of models are about cases of
    the datasets that their run asked about, and other data on these would tell who answered.
    """
    if not studies:
        return []
    from store.studies import asked_datasets

    with database.read() as session:
        held = asked_datasets(session, [progress.study.name for progress in studies])
    return [(known, held[known.study.name] | _datasets_of(known.study.design)) for known in studies]


def _datasets_of(design: "Mapping[str, JsonValue]") -> set[str]:
    """The datasets that a study was drawn from, and those of the run whose answers it reviews."""
    answers = design.get("answers")
    return {*design["datasets"], *(answers["datasets"] if isinstance(answers, dict) else ())}


def _run_of(design: "Mapping[str, JsonValue]") -> "JsonValue":
    """The run whose answers a study reviews; None in other studies."""
    answers = design.get("answers")
    return answers["run"] if isinstance(answers, dict) else None


def _owes(progress: StudyProgress, person: str) -> bool:
    own = progress.own(person)
    return progress.study.closed_at is None and own is not None and not _has_finished(progress, person)


def why_not_claims(progress: StudyProgress, person: str) -> str | None:
    """A sentence on why this person may not see whether a stop rule lets the study end.

    Raters never learn it while the study is open, nor do leads who also rate: it tells how others answer.
    """
    if progress.study.closed_at is not None or _only_leads(progress, person):
        return None
    return (
        f"Whether study {progress.study.name} may be stopped is shown to leads who do not rate in it, and to "
        "others when it is closed."
    )


# -- third votes ------------------------------------------------------------------------------------


def _has_finished(progress: StudyProgress, person: str) -> bool:
    """Whether this rater has answered everything and can be asked nothing more in this study.

    Where third votes are asked for, any rater may still get cases until the study is closed.
    """
    return progress.has_finished(person) and not may_ask_third_votes(progress)


def may_ask_third_votes(progress: StudyProgress) -> bool:
    """Whether raters of this study may still be asked for third votes."""
    return bool(StudyDesign.of(progress.study).third) and progress.study.closed_at is None


def why_third_votes_may_come(progress: StudyProgress, person: str = "you") -> str:
    """Why a rater who has answered everything does not see what others answered: more cases may come."""
    whose = "you may" if person == "you" else f"{person!r} may"
    return (
        f"Study {progress.study.name} asks a third rater where two disagree, so {whose} still get cases "
        "of it; this is possible when the study is closed."
    )


def why_not_ask_third_votes(progress: StudyProgress, acts: "Iterable[StudyAct]", person: str) -> str | None:
    """A sentence on why this person may not ask for third votes; None if they may.

    Nobody gets a case for a third vote who may know how others answered it: not after the study was closed,
    when its raters could see that.
    """
    name = progress.study.name
    if not StudyDesign.of(progress.study).third:
        return (
            f"study {name!r} was not made with --third on-disagreement, so nobody is asked for third votes "
            "in it; make a new study with it."
        )
    if progress.study.closed_at is not None:
        return f"study {name!r} is closed, so nobody can be asked for third votes."
    if any(act.kind == "close" for act in acts):
        return (
            f"study {name!r} was closed once, and its raters could see the answers of others then, so no "
            "more third votes are asked for; adjudicate what is open."
        )
    return why_not_direct(progress, person)


def list_for_third_votes(disputed: Sequence[str], undisputed: Sequence[str], seed: str) -> tuple[str, ...]:
    """The list of cases that a rater is shown for third votes: nothing tells disputed ones from the rest.

    At least half of them are undisputed, or this raises ValueError; their order depends on no answer.
    """
    if len(undisputed) < len(disputed):
        raise ValueError("at least half of a list for third votes are undisputed cases")
    return tuple(shuffled([*disputed, *undisputed], seed))


def _only_leads(progress: StudyProgress, person: str) -> bool:
    """Whether this person leads the study and is not one of its raters."""
    return person in progress.leads and progress.own(person) is None


def why_not_adjudicate(database: "Database", bundle: "StudyBundle", person: str) -> str | None:
    """A sentence on why this person may not see the verdicts and adjudicate; None if they may.

    Raters of the study may adjudicate only if its lead allowed it, and only when all answers are given.
    Its leads may only when all answers are given.
    """
    name = bundle.study.name
    if reason := why_not_shared_cases(database, person, name):
        return reason
    if all(rater.rater != person for rater in bundle.raters):
        return why_not_agreement(progress_of(database, name), person) if person in bundle.leads else None
    if person not in who_may_adjudicate(bundle.acts, bundle.adjudicators):
        return (
            f"{person!r} is a rater of study {name!r}. A rater may adjudicate only if the study's lead "
            f"allows it: `reviewer adjudicate {name} --as {person} --allow-rater LEAD`."
        )
    progress = progress_of(database, name)
    if progress.finished and may_ask_third_votes(progress):
        return why_third_votes_may_come(progress)
    if bundle.study.closed_at is None and not progress.finished:
        return (
            f"{person!r} is a rater of study {name!r}, which is neither closed nor finished: "
            f"{owed_in_words(progress)}."
        )
    return None


def who_may_adjudicate(acts: "Iterable[StudyAct]", people: "Iterable[Assignment]") -> frozenset[str]:
    """The people of a study who may adjudicate: its adjudicators, and raters whom its lead allowed to."""
    admitted = {act.subject for act in acts if act.kind == "admit" and act.subject}
    return frozenset(admitted | {person.rater for person in people if person.role == "adjudicator"})


# -- what would influence an answer or a decision ---------------------------------------------------


class Influence(StrEnum):
    """What of a dataset would influence answers about its cases, as sentences name it."""

    FINDINGS = "automatic findings"
    HISTORY = "revisions and notes"
    REPAIR = "knowing what is wrong with them"
    PUBLISHED = "published values"
    ANSWERS = "answers of models"


def why_not_influence(
    database: "Database", studies: Iterable[StudyProgress], person: str, dataset: str, shown: Influence
) -> str | None:
    """A sentence on why this person may not see this of a dataset yet; None if they may.

    They have still to answer about cases of it, or to adjudicate them.
    """
    known = [*studies]
    if owed := _with_dataset(database, owed_by(known, person), dataset):
        return (
            f"{_still(owed, person)} cases of {dataset} to answer in {studies_in_words(_names(owed))}, and "
            f"{shown} would influence your answers. Finish {_them(owed)} first, or close {_them(owed)}."
        )
    if undecided := _with_dataset(database, _undecided(database, known, person), dataset):
        return (
            f"You still have cases of {dataset} to adjudicate in {studies_in_words(_names(undecided))}, and "
            f"{shown} would influence your decisions. Decide them first."
        )
    return None


def why_not_outcomes(
    database: "Database",
    studies: Iterable[StudyProgress],
    person: str,
    datasets: Iterable[str],
    judged_study: str = "",
) -> str | None:
    """A sentence on why this person may not yet see what models answered to cases of these datasets.

    None if they may. The answers of models and of logic would influence a rater like findings.
    The answers of a judge are opinions on a study ("": they are not), which nobody sees while a rater owes
    answers.
    """
    known = [*studies]
    of_study = [progress for progress in known if progress.study.name == judged_study]
    if of_study and (reason := why_not_judges(of_study[0], in_pack=is_packed(database, judged_study))):
        return reason
    reasons = (why_not_influence(database, known, person, dataset, Influence.ANSWERS) for dataset in datasets)
    return next(filter(None, reasons), None)


def is_packed(database: "Database", study: str) -> bool:
    """Whether the study came here in a pack."""
    from store.studies import packed_raters

    with database.read() as session:
        return study in packed_raters(session)


def why_not_effects(
    database: "Database", studies: Iterable[StudyProgress], person: str, run: str
) -> str | None:
    """A sentence on why this person may not yet see what the models of a run did: they judge its answers."""
    of_run = [progress for progress in studies if _run_of(progress.study.design) == run]
    if owed := owed_by(of_run, person):
        return (
            f"{_still(owed, person)} answers of models to judge in {studies_in_words(_names(owed))}, and "
            f"what these models did would influence you. Finish {_them(owed)} first, or close {_them(owed)}."
        )
    if undecided := _undecided(database, of_run, person):
        return (
            f"You still have answers of models to adjudicate in {studies_in_words(_names(undecided))}, and "
            "what these models did would influence your decisions. Decide them first."
        )
    return None


def _with_dataset(
    database: "Database", studies: Sequence[StudyProgress], dataset: str
) -> list[StudyProgress]:
    """Those of the studies that have cases of a dataset."""
    return [progress for progress, datasets in _with_datasets(database, studies) if dataset in datasets]


def _undecided(database: "Database", studies: Iterable[StudyProgress], person: str) -> list[StudyProgress]:
    """The studies that this person adjudicates and that are not decided yet."""
    return [progress for progress in studies if _has_undecided(database, progress.study.name, person)]


def _has_undecided(database: "Database", study: str, person: str) -> bool:
    """Whether this person adjudicates in a study and has not decided everything yet."""
    if not adjudicates(database, study, person):
        return False
    from reviewer.study.adjudication.open_disputes import undecided_slots  # loads all of adjudication

    return any(undecided_slots(database, study))


def adjudicates(database: "Database", study: str, person: str) -> bool:
    """Whether this person adjudicates in a study."""
    from store.studies import raters_of
    from store.study_log import acts_of

    with database.read() as session:
        return person in who_may_adjudicate(acts_of(session, study), raters_of(session, study))


def studies_in_words(names: Sequence[str]) -> str:
    """The names of studies in which somebody owes something; they take part in these, so they know them."""
    return f"{agreeing(len(names), 'study', 'studies')} {enumerated(names)}"


def _names(studies: Iterable[StudyProgress]) -> list[str]:
    return [progress.study.name for progress in studies]


def _still(studies: Sequence[StudyProgress], person: str) -> str:
    """The beginning of a sentence about cases that somebody has to answer, or may get yet."""
    waits = all(progress.has_finished(person) for progress in studies)
    return "You may still be asked for third votes on" if waits else "You still have"


def _them(studies: Sequence[StudyProgress]) -> str:
    return agreeing(len(studies), "it", "them")
