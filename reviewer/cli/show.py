"""``reviewer show``: one case whole."""

import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import click

from reviewer.cli.printing import note
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import hidden_from_viewer, owed_studies, undecided_words, viewer
from reviewer.core.dialogue import Dialogue
from reviewer.core.errors import RequestError
from reviewer.core.pane import Code, Pair, Pane, Text, Tree, Variants
from reviewer.core.sanitize import visible
from reviewer.core.table import Table
from reviewer.options.cases import ShowOptions
from reviewer.oracle.oracle_errors import install_command
from reviewer.protocols.altered_case import panes_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.report.text_table import text_table
from reviewer.runs.audit.check_texts import examination_of
from reviewer.study.adjudication.open_disputes import undecided_questions
from reviewer.study.session.blinded_panes import panes_while_owed, panes_while_undecided
from reviewer.study.session.blinding import may_see_generators, studies_in_words, without_generator
from reviewer.study.session.rater_progress import StudyProgress
from store.candidates import find_candidate
from store.cases import cases_at, get_dataset, get_measurements, memberships_of
from store.database import Database
from store.findings import get_findings
from store.records import Candidate, Case, Finding, Measurement, Membership
from store.revisions import place_states

_SHORT_DIGEST = 12
_MOST_NAMED = 10


def show_command(options: ShowOptions) -> None:
    """``reviewer show``: one case whole."""
    database = open_store(options.store)
    with database.read() as session:
        candidate = find_candidate(session, options.reference) if options.dataset is None else None
        states = place_states(session)
    if candidate and candidate.case is None:
        click.echo(_unfinished(candidate, options.form))
        return
    wanted = candidate.case or "" if candidate else options.reference
    stored = _stored(database, wanted, options.reference, options.dataset)
    protocols = protocols_of(database)
    protocol = protocols.usable(stored.case.protocol)
    waiting = _waiting(database, stored)
    if options.form == "json":
        waiting.check_whole()
        click.echo(_as_json(stored))
    else:
        panes = _panes(protocols, stored, waiting)
        hidden = hidden_from_viewer(database)
        owes = bool(waiting.owed) or any(place.dataset in hidden for place in stored.places)
        if protocol and not may_see_generators(protocol, owes=owes):
            stored = stored._replace(places=[without_generator(place) for place in stored.places])
        click.echo(_as_text(stored, panes, in_words=options.in_words))
    if waiting.reason:
        note(f"{waiting.reason}: {waiting.shown}.")
    _note_places(stored, protocol, states)


def _note_places(stored: "_Stored", protocol: Protocol | None, states: Mapping[tuple[str, str], str]) -> None:
    """Note the state of the case at its places, and whether its programs were run."""
    for place in stored.places:
        if state := states.get((place.dataset, place.key)):
            note(f"{place.dataset}:{place.key} is {state}; see `reviewer datasets history`.")
    ran = any(m.source == "measured" and m.name == "status" for m in stored.measurements)
    if not ran and protocol and examination_of(protocol, stored.case):
        note(_not_audited(stored.places))


class _Stored(NamedTuple):
    """A case with its places, measurements and findings in the store."""

    case: Case
    places: list[Membership]
    measurements: list[Measurement]
    findings: list[Finding]


def _stored(database: Database, wanted: str, reference: str, dataset: str | None) -> _Stored:
    with database.read() as session:
        if dataset is not None:
            get_dataset(session, dataset)
        cases = cases_at(session, wanted, dataset) if wanted else []
        places = [(known, memberships_of(session, known.digest)) for known in cases]
        case = _the_only(reference, dataset, places)
        return _Stored(
            case,
            memberships_of(session, case.digest),
            get_measurements(session, [case.digest])[case.digest],
            get_findings(session, [case.digest])[case.digest],
        )


class _Waiting(NamedTuple):
    """What the person at the keyboard has still to do about a case, before they may see all of it."""

    owed: Mapping[str, StudyProgress]
    undecided: Mapping[str, Collection[str]]

    @property
    def reason(self) -> str:
        """The beginning of a sentence that says it; "" if there is nothing."""
        if self.owed:
            return (
                "You still have questions about this case or others of its dataset to answer in "
                f"{studies_in_words(sorted(self.owed))}"
            )
        return undecided_words(self.undecided)

    @property
    def shown(self) -> str:
        """The end of that sentence: what is shown until then."""
        if self.owed:
            return "only the panes that its questions show are shown"
        return "findings and values on these questions are held back"

    def check_whole(self) -> None:
        """Raise RequestError if they may not see all of the case."""
        if self.reason:
            raise RequestError(
                f"{self.reason}, and JSON holds the case whole; leave --format out, or finish first."
            )


def _waiting(database: Database, stored: _Stored) -> _Waiting:
    digest = stored.case.digest
    owed = owed_studies(database, digest, [place.dataset for place in stored.places])
    return _Waiting(owed, {} if owed else undecided_questions(database, viewer(database), digest))


def _panes(protocols: Protocols, stored: _Stored, waiting: _Waiting) -> Sequence[Pane]:
    case, _places, measurements, findings = stored
    if waiting.owed:
        return panes_while_owed(
            protocols.named(case.protocol), case, measurements, findings, waiting.owed.values()
        )
    if questions := frozenset(chain(*waiting.undecided.values())):
        return panes_while_undecided(protocols.named(case.protocol), case, measurements, findings, questions)
    return panes_of(protocols, case, measurements, findings)


def _unfinished(candidate: Candidate, form: str) -> str:
    """What is kept of a candidate that is not a case."""
    if form == "json":
        return json.dumps(candidate.model_dump(mode="json"), indent=2)
    head = f"candidate {candidate.number} of {candidate.run}, discarded at {candidate.step}: {candidate.why}"
    return "\n\n".join(
        [visible(head), *(_section(name, str(said)) for name, said in candidate.payload.items())]
    )


def _the_only(reference: str, dataset: str | None, cases: list[tuple[Case, list[Membership]]]) -> Case:
    """The case that is meant; raises RequestError, which lists the possible ones."""
    if len(cases) == 1:
        return cases[0][0]
    if not cases:
        where = "" if dataset is None else f" in dataset {dataset!r}"
        raise RequestError(f"no case{where} has the key or digest {reference!r}; see `reviewer cases`.")
    meant = sorted(_named(*case, reference, dataset) for case in cases)[:_MOST_NAMED]
    more = "" if len(cases) <= _MOST_NAMED else ", and more"
    raise RequestError(f"{reference!r} may mean {', '.join(meant)}{more}; give one of these.")


def _named(case: Case, places: list[Membership], reference: str, dataset: str | None) -> str:
    """A case by DATASET:KEY, at the place of this key if it has one; by its digest where it has no place."""
    here = [place for place in places if dataset in (None, place.dataset)]
    here = [place for place in here if place.key == reference] or here
    return repr(f"{here[0].dataset}:{here[0].key}" if here else case.digest[:_SHORT_DIGEST])


def _not_audited(places: list[Membership]) -> str:
    dataset = places[0].dataset if places else "DATASET"
    sentence = f"Its programs were not run here yet: reviewer audit {visible(dataset)}"
    if shutil.which("swipl") is None:
        sentence += f" (needs SWI-Prolog: {install_command()})"
    return sentence


def _as_json(stored: _Stored) -> str:
    whole = {
        **stored.case.model_dump(mode="json"),
        "places": [place.model_dump(mode="json") for place in stored.places],
        "measurements": [measurement.model_dump(mode="json") for measurement in stored.measurements],
        "findings": [finding.model_dump(mode="json") for finding in stored.findings],
    }
    # In ASCII, so that no character of a case reaches the terminal as a command.
    return json.dumps(whole, indent=2)


def _as_text(stored: _Stored, panes: Sequence[Pane], *, in_words: bool) -> str:
    case, places, *_ = stored
    at = ", ".join(f"{place.dataset}: {place.key} ({place.generator or 'hidden'})" for place in places)
    head = f"case {case.digest}\n{case.protocol} · {case.group}\n{visible(at)}"
    panes = [pane.in_words() for pane in panes] if in_words else panes
    return "\n\n".join([head, *map(_pane_text, panes)])


def _pane_text(pane: Pane) -> str:
    match pane.body:
        case Pair(left_title, right_title, left, right):
            return f"{_section(left_title, left.text)}\n\n{_section(right_title, right.text)}"
        case Variants() as variants:
            texts = variants.titled(pane.title).texts
            return "\n\n".join(_section(title, body.text) for title, body in texts)
        case Text() | Code() | Dialogue() | Tree():
            return _section(pane.title, pane.body.text)
        case Table() as table:
            return _section(pane.title, _whole(table))


def _whole(table: Table) -> str:
    """The table, or where a cell is too long for it, its rows as lines: nothing is cut off here."""
    text = text_table(table)
    if "…" not in text:
        return text
    return "\n".join(" · ".join("–" if cell is None else str(cell) for cell in row) for row in table.rows)


def _section(title: str, text: str) -> str:
    return f"── {title} " + "─" * max(0, 70 - len(title)) + f"\n{visible(text)}"
