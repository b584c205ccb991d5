"""Asking raters for third votes on cases on which the two fixed votes differ.

At least half of each rater's list are cases on which the fixed votes agree, in random order, so that nobody
can know of a case on the list whether it is disputed. A list depends only on the cases, the raters and the
seed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import agreeing, counted, enumerated
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.design.seeding import shuffled
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.integrity.quarantine import read_study
from reviewer.study.session.blinding import list_for_third_votes, why_not_ask_third_votes
from reviewer.study.session.label_rows import LabelRow, label_rows
from reviewer.study.session.rater_progress import progress_of
from reviewer.study.session.third_vote import fixed_votes_differ, has_both_votes
from store.database import Database
from store.records import StudyAct, StudyCase
from store.study_log import add_act


@dataclass(frozen=True)
class ThirdLists:
    """The drawn list of each rater, and the disputed cases for which nobody could be asked now."""

    lists: Mapping[str, tuple[str, ...]]
    left: tuple[str, ...]


@dataclass
class _Draw:
    """Which cases each rater may get, and which they have got."""

    disputed: dict[str, list[str]]
    free: Mapping[str, list[str]]
    """Rater → the undisputed cases that they have not seen, in random order."""
    seen: Mapping[str, set[str]]
    left: list[str] = field(default_factory=list)

    def give(self, case: str, raters: Iterable[str]) -> None:
        """Give a disputed case to the rater with the fewest, who has an undisputed case to go with it."""
        able = [
            rater
            for rater in raters
            if case not in self.seen[rater] and len(self.disputed[rater]) < len(self.free[rater])
        ]
        if able:
            self.disputed[min(able, key=lambda rater: len(self.disputed[rater]))].append(case)
        else:
            self.left.append(case)


def draw_third_lists(
    disputed: Iterable[str],
    agreed: Iterable[str],
    raters: Iterable[str],
    seen: Mapping[str, Iterable[str]],
    seed: str,
) -> ThirdLists:
    """A list for each rater: their share of the ``disputed`` cases, and as many ``agreed`` ones.

    ``seen`` are the cases that each rater was asked about. Cases are digests.
    """
    names, held = sorted(raters), {rater: {*seen.get(rater, ())} for rater in raters}
    hiding = shuffled(agreed, f"{seed}\0undisputed")
    free = {rater: [case for case in hiding if case not in held[rater]] for rater in names}
    draw = _Draw({rater: [] for rater in names}, free, held)
    for case in shuffled(disputed, f"{seed}\0disputed"):
        draw.give(case, shuffled(names, f"{seed}\0{case}"))
    return ThirdLists(dict(_with_undisputed(draw, seed)), tuple(draw.left))


def _with_undisputed(draw: _Draw, seed: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each rater's list, with the undisputed cases that the fewest others have got."""
    times = Counter[str]()
    for rater, disputed in draw.disputed.items():
        if not disputed:
            continue
        rank = {case: at for at, case in enumerate(draw.free[rater])}
        chosen = sorted(rank, key=lambda case: (times[case], rank[case]))[: len(disputed)]
        times.update(chosen)
        yield rater, list_for_third_votes(disputed, chosen, f"{seed}\0list of {rater}")


@dataclass(frozen=True)
class CaseVotes:
    """Digests of the counted cases of a study by the state of their votes, for asking for third votes.

    ``open`` lack a fixed vote, ``agreed`` and ``disputed`` have both; a case is disputed if the votes on any
    question differ. ``waiting`` are the disputed ones that no rater who counts was asked about.
    ``one_sided`` are cases with a rater who was left out, so that they never have both votes.
    """

    open: tuple[str, ...]
    agreed: tuple[str, ...]
    disputed: tuple[str, ...]
    waiting: tuple[str, ...]
    one_sided: tuple[StudyCase, ...]


@dataclass(frozen=True)
class AskedThirdVotes:
    """The acts by which raters were asked, and sentences about cases that nobody was asked about."""

    acts: tuple[StudyAct, ...] = ()
    remarks: tuple[str, ...] = ()


def ask_third_votes(database: Database, study: str, who: str) -> AskedThirdVotes:
    """Give each rater a list of cases for third votes; raises RequestError if that is refused."""
    check_store_of_lead(database, study, "ask for third votes", "third votes are asked for")
    bundle, events = read_study(database, study, late=True)
    progress = progress_of(database, study)
    if reason := why_not_ask_third_votes(progress, bundle.acts, checked_name("lead", who)):
        raise RequestError(reason.rstrip("."))
    votes = case_votes(bundle, label_rows(bundle, events))
    if not (votes.agreed or votes.disputed):
        raise RequestError(
            f"no case of study {study!r} has both votes yet; ask again when raters have gone on."
        )
    drawn = _drawn(bundle, votes)
    acts = [
        add_act(
            database,
            study,
            "third",
            who,
            "",
            subject=rater,
            held=cases,
            unfinished={rater: _verdicts(bundle, cases)},
        )
        for rater, cases in drawn.lists.items()
    ]
    return AskedThirdVotes(tuple(filter(None, acts)), tuple(_remarks(bundle, votes, bool(drawn.left))))


def _drawn(bundle: StudyBundle, votes: CaseVotes) -> ThirdLists:
    """The lists that raters are given if third votes are asked for now."""
    raters = [person.rater for person in bundle.raters if person.rater not in bundle.excluded]
    number = sum(act.kind == "third" for act in bundle.acts)
    seed = f"{bundle.study.seed}\0third votes {number}"
    return draw_third_lists(votes.waiting, votes.agreed, raters, _seen(bundle, raters), seed)


def case_votes(bundle: StudyBundle, rows: Iterable[LabelRow]) -> CaseVotes:
    """How the fixed votes on the counted cases stand, from the label rows of a study with third votes."""
    tally = _Tally.of(bundle, rows)
    kinds: dict[str, list[str]] = defaultdict(list)
    for place in bundle.counted:
        kinds[tally.kind(place.case)].append(place.case)
    asked = {
        case
        for case, raters in bundle.design.third_raters.items()
        if any(rater not in bundle.excluded for rater in raters)
    }
    one_sided = tuple(bundle.places[case] for case in kinds["one-sided"])
    waiting = tuple(case for case in kinds["disputed"] if case not in asked)
    return CaseVotes(
        tuple(kinds["open"]), tuple(kinds["agreed"]), tuple(kinds["disputed"]), waiting, one_sided
    )


@dataclass
class _Tally:
    """The labels of fixed votes by case and question."""

    bundle: StudyBundle
    given: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, bundle: StudyBundle, rows: Iterable[LabelRow]) -> "_Tally":
        tally = cls(bundle)
        for row in rows:
            slot = row.verdict.slot
            if row.label is not None and slot.phase == "before" and not slot.showing:
                tally.given.setdefault(slot.case, {}).setdefault(slot.question, {})[row.rater] = row.label
        return tally

    def kind(self, case: str) -> str:
        """What is known of the two fixed votes on a case."""
        design, bundle = self.bundle.design, self.bundle
        if any(rater in bundle.excluded for rater in design.panels.get(case, ())):
            return "one-sided"
        asked = [question.key for question in bundle.questions if bundle.asks(question.key, case)]
        given = [self.given.get(case, {}).get(key, {}) for key in asked]
        if not all(has_both_votes(design, case, votes) for votes in given):
            return "open"
        return "disputed" if any(fixed_votes_differ(design, case, votes) for votes in given) else "agreed"


def _seen(bundle: StudyBundle, raters: Iterable[str]) -> Mapping[str, list[str]]:
    """The counted cases that each rater was asked about."""
    return {
        rater: [place.case for place in bundle.counted if bundle.design.asks_of(rater, place.case)]
        for rater in raters
    }


def _verdicts(bundle: StudyBundle, cases: Iterable[str]) -> int:
    """How many verdicts a list of cases is."""
    return sum(
        bundle.asks(question.key, case) * (2 if case in bundle.repeated else 1)
        for case in cases
        for question in bundle.questions
    )


def _remarks(bundle: StudyBundle, votes: CaseVotes, left: bool) -> Iterable[str]:
    if left:
        then = (
            "Run the command again when more cases have both votes."
            if votes.open
            else "Every case has both votes, so these are for the adjudicators."
        )
        yield (
            "Some cases on which the votes differ were given to nobody: there are too few others to put "
            f"beside them. {then}"
        )
    yield from one_sided_in_words(bundle, votes)


def third_votes_in_words(bundle: StudyBundle, rows: Iterable[LabelRow]) -> list[str]:
    """Sentences for a lead on where third votes are needed; none in a study without them."""
    if not bundle.design.third:
        return []
    votes = case_votes(bundle, rows)
    both, differ, waiting = len(votes.agreed) + len(votes.disputed), len(votes.disputed), len(votes.waiting)
    told = f"{both:,} of {counted(len(bundle.counted), 'case')} {agreeing(both, 'has', 'have')} both votes"
    told += f"; they differ on {differ:,}" if both else ""
    if not waiting:
        then = "."
    elif bundle.study.closed_at is None and not _drawn(bundle, votes).lists:
        for_now = " until more cases have both votes" if votes.open else ", so the adjudicators decide"
        then = (
            f", and nobody can be asked about {waiting:,}, with too few others to put beside them{for_now}."
        )
    elif bundle.study.closed_at is None:
        then = f", and nobody was asked about {waiting:,}: run `reviewer study third {bundle.study.name}`."
    else:
        then = f", and {waiting:,} of these have no third vote."
    return [told + then, *one_sided_in_words(bundle, votes)]


def why_third_votes_come_first(bundle: StudyBundle, rows: Iterable[LabelRow]) -> str | None:
    """A sentence on why disputes are not decided yet: third votes can be asked for; None if they are."""
    if not bundle.design.third or bundle.study.closed_at is not None:
        return None
    votes, name = case_votes(bundle, rows), bundle.study.name
    waiting = len(votes.waiting)
    if not waiting or not (votes.open or _drawn(bundle, votes).lists):
        return None
    return (
        f"on {counted(waiting, 'case')} of study {name!r} two votes differ and nobody was asked for a third; "
        f"run `reviewer study third {name}` first, or close the study."
    )


def one_sided_in_words(bundle: StudyBundle, votes: CaseVotes) -> list[str]:
    """A sentence on cases that have one fixed vote only, because a rater was left out, if there are any."""
    if not votes.one_sided:
        return []
    raters = {rater for place in votes.one_sided for rater in bundle.design.panels[place.case]}
    gone = enumerated(sorted(raters & bundle.excluded.keys()))
    keys = enumerated([place.key for place in votes.one_sided[:3]])
    more = f" and {len(votes.one_sided) - 3:,} more" if len(votes.one_sided) > 3 else ""
    return [
        f"{counted(len(votes.one_sided), 'case')} ({keys}{more}) cannot have two votes, since {gone} was "
        "left out: nobody is asked for a third vote there, and agreement leaves them out."
    ]
