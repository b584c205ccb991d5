"""One rater's session on one study: what a key writes to the ledger. `session_state.py` finds the next slot.

A method that changes something returns once the change is durable. If it raises, nothing has changed.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line, text_fault
from reviewer.protocols.altered_case import check_whole
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import fitting_events
from reviewer.study.session.blinded_panes import why_not_confidence, why_values_wait
from reviewer.study.session.blinding import owed_elsewhere
from reviewer.study.session.machine_rater import MachineRater
from reviewer.study.session.review_stages import Stage
from reviewer.study.session.session_state import SessionState
from reviewer.study.session.verdicts import REVEALED, Channel, Slot, State, slot_of
from store.clock import now_ms
from store.database import Database
from store.ledger import Ledger, LedgerWrite
from store.records import Event, EventKind, GivenBy, JsonValue


class ReviewSession(SessionState):
    """A rater's session. The cases come in the rater's own order, question by question or case by case."""

    def __init__(
        self,
        database: Database,
        study: str,
        rater: str,
        clock: Callable[[], int] = now_ms,
        stopwatch: Callable[[], float] = time.monotonic,
        given: GivenBy = "app",
    ) -> None:
        bundle = load_study(database, study, late=True)
        self.assignment = join_study(database, bundle.study, rater)
        self._owed_elsewhere = owed_elsewhere(database, bundle.study, rater)
        machine = MachineRater(database, study) if bundle.design.machine_rater else None
        bundle = replace(bundle.as_asked(rater), owed_elsewhere=self._owed_elsewhere, machine=machine)
        self.rater = rater
        self.database = database
        self._given = given
        self._ledger = Ledger(database, clock)
        events = fitting_events(bundle, self._ledger.events(study, rater), (self.assignment,))
        super().__init__(bundle, self.assignment.order_seed, events, stopwatch)

    # -- moving ------------------------------------------------------------------------------------

    def go_to(self, position: int) -> None:
        """Show a slot. What its answer reveals is shown only after the ledger has recorded it.

        Raises StoreError and stays at the same slot if the ledger cannot record it.
        """
        position = max(0, min(position, len(self.slots) - 1))
        if self._stages.reveals_on_return(self.slots[position]):
            # A study that was closed in the meantime records nothing, so this session reveals nothing more.
            with suppress(RequestError):
                self._note_reveal(self.slots[position])
        self._show(position)

    def ask_to_reveal(self) -> None:
        """Show which answer a reveal here makes final (see ``remark``). This saves nothing.

        Raises RequestError if there is nothing to reveal now.
        """
        self._check_reveal()
        self._asks_to_reveal = True

    def reveal(self) -> None:
        """Show the panes revealed here, once the ledger has recorded it. The answer is then final.

        Raises RequestError if there is nothing to reveal now.
        """
        self._owed_elsewhere.update(owed_elsewhere(self.database, self.bundle.study, self.rater))
        with self._turn() as turn:
            self._check_reveal()
            marks = [self._mark(turn, slot) for slot in self._stages.revealed_with(self.slot)]
        self._learn_all(marks)
        self._show(self._position)

    def _check_reveal(self) -> None:
        if why := self.reveal_obstacle:
            raise RequestError(why)

    def _note_reveal(self, slot: Slot) -> None:
        with self._turn() as turn:
            marks = [self._mark(turn, slot)]
        self._learn_all(marks)

    def next(self) -> None:
        """Show the next slot, if there is one."""
        self.go_to(self._position + 1)

    def previous(self) -> None:
        """Show the previous slot, if there is one."""
        self.go_to(self._position - 1)

    def next_open(self) -> bool:
        """Show the next slot that is not done. Returns False and stays if there is no other."""
        position = self._next_open()
        if position is None:
            return False
        self.go_to(position)
        return True

    def _go_on(self) -> None:
        """Move on, unless the rater still has something to read or a key to press here."""
        if self.waiting or self.stage is Stage.FEEDBACK:
            self._show(self._position)
        else:
            self._advance()

    def _advance(self) -> None:
        """Show the next open slot, if there is one. This writes nothing."""
        before, position = self._position, self._next_open()
        if position is not None:
            self._show(position)
            self._show_card(before)

    def go_on_to(self, position: int, answered: int) -> None:
        """Show a slot in place of the next open one, after an answer at another position."""
        self.go_to(position)
        self._show_card(answered)

    def _show_card(self, before: int) -> None:
        """Show a card where another part of the work begins than that of the position before."""
        changed = self._order.part(before) != self._order.part(self._position)
        self.card = self.cards[1] if changed else None

    # -- what a key saves --------------------------------------------------------------------------

    def answer(self, label: str) -> Event:
        """Save an answer for the current slot, and move on unless the answer needs one more key.

        After the rater has seen what an answer reveals, a new answer is a second verdict; the first stays.
        If two answers contradict each other, giving the same answer again keeps both.
        """
        asked = self.bundle.question(self.slot.question)
        if fault := self.bundle.protocol.label_fault(asked, self.case, label):
            raise RequestError(fault)
        if fault := self.bundle.protocol.answer_fault(self.question, self.case, label):
            raise RequestError(f"{fault}.")
        if self.stage is Stage.CLASH and label == self.verdict.label and (event := self.explain("")):
            return event
        self._check_named(label)
        check_whole(self.case)
        if wait := why_values_wait(self.bundle, self.slot):
            raise RequestError(wait[0].lower() + wait[1:])
        value = self._stages.kept(self.slot, label)
        with self._turn() as turn:
            self._check_training()
            slot = self._stages.answering(self.slot)
            event = self._add(turn, "label", "answer", value, slot, timed=True)
            marks = [self._mark(turn, revealed) for revealed in self._stages.revealed_by(slot, value)]
        self._learn_all([event, *marks])
        self._go_on()
        return event

    def _check_named(self, label: str) -> None:
        """Raise RequestError for a reason that is none of the list and that no comment names."""
        question = self.question
        if (question.key, label) == self.bundle.protocol.themed and not self.verdict.comment:
            raise RequestError(
                f"{label!r} needs a comment that names the {question.title}; write the comment, then answer."
            )

    def proceed(self) -> Event | None:
        """Move on: keep both answers, repeat the first verdict, or confirm the training feedback."""
        stage, verdict = self.stage, self.verdict
        if stage is Stage.CLASH:
            return self.explain("")
        if self.waiting and verdict.label is not None:
            return self.answer(verdict.label)
        if verdict.state is State.LABELLED:
            self._advance()
        return None

    def explain(self, text: str) -> Event | None:
        """Save why two contradicting answers are both kept ("" for no reason); None if none contradict."""
        _check_text("reason", text)
        clash = self._stages.clash(self.slot)
        if clash is None:
            return None
        with self._turn() as turn:
            there = self.history.current_answer(clash.there)
            event = turn.add(
                **self._about(self.slot, self.seen),
                kind="reason",
                value=text or None,
                target=there and there.id,
            )
            marks = [self._mark(turn, revealed) for revealed in self._stages.revealed_after(clash)]
        self._learn_all([event, *marks])
        self._go_on()
        return event

    def skip(self) -> Event | None:
        """Skip the slot for now. Nothing is saved if it has a label."""
        unanswered = self._stages.is_training(self.slot) and self.verdict.state is not State.LABELLED
        if unanswered and self.case.is_whole:
            raise RequestError("training cases cannot be skipped; give the answer that you lean to.")
        event = self._save_news("skip", "answer", None, timed=True)
        self._advance()
        return event

    def comment(self, text: str, passage: JsonValue = None) -> Event | None:
        """Save the comment of this slot; an empty one removes it. Returns None if nothing changed.

        ``passage`` is the part of a pane that it is about (see ``Event.passage``). Raises RequestError if
        another window of this rater has changed the comment since this window last read it.
        """
        _check_text("comment", text)
        about = self._stages.kept_passage(self.slot, passage) if text else None
        return self._save_news("comment", "comment", text or None, passage=about)

    def note(self, text: str) -> Event:
        """Save a note on the work, written at this slot. Earlier notes stay."""
        _check_text("note", text)
        with self._turn() as turn:
            event = turn.add(**self._about(self.slot, self.seen), kind="note", value=text)
        self._learn(event)
        return event

    def say_confidence(self, confidence: str) -> Event:
        """Save how sure the rater is of the answer that they gave last; raises RequestError without one.

        It is kept beside the answer, and does not move on. Another one replaces it.
        """
        in_view = self.history.newest_label()
        with self._turn() as turn:
            answer = self.history.newest_label()
            if why := why_not_confidence(self.bundle, self.history):
                raise RequestError(why)
            if answer is None or in_view is None or answer.id != in_view.id:
                raise RequestError("another window of yours has answered since; say there how sure you are.")
            about = self._about(slot_of(answer))
            event = turn.add(**about, kind="note", value=confidence, target=answer.id)
        self._learn(event)
        return event

    def flag(self) -> Event | None:
        """Set or remove this slot's flag. Returns None if another window has already done so."""
        return self._save_news("flag", "flag", None if self.verdict.flagged else "flagged")

    def undo(self) -> Event | None:
        """Take back the rater's newest answer or skip and show its slot. Returns None if there is none left.

        Raises RequestError if the rater has already seen what the answer reveals. It also raises if another
        window of this rater has already taken back the newest action, so that none is taken back twice.
        """
        in_view = self.history.last_action()
        with self._turn() as turn:
            self.history.check_not_taken_back(in_view)
            action = self.history.last_action()
            if action is None:
                return None
            slot = slot_of(action)
            self._stages.check_undo(slot)
            event = turn.add(
                **self._about(slot),
                kind="undo",
                value=self.history.label_before(action),
                target=action.id,
                supersedes=self.history.heads(slot, "answer"),
            )
        self._learn(event)
        if slot.first in self._positions:
            self._show(self._positions[slot.first])
        return event

    def _save_news(
        self,
        kind: EventKind,
        channel: Channel,
        value: str | None,
        *,
        timed: bool = False,
        passage: JsonValue = None,
    ) -> Event | None:
        """Add an event, unless this window or another one of this rater has already saved the same."""
        seen = self.verdict.comment
        with self._turn() as turn:
            if self._is_said(kind, value, passage):
                return None
            if kind == "comment" and self.verdict.comment != seen:
                raise RequestError(
                    f"another window of yours has changed it to {one_line(self.verdict.comment, 60)!r}; "
                    "save again to replace that."
                )
            slot = self._stages.answering(self.slot) if channel == "answer" else self.slot
            event = self._add(turn, kind, channel, value, slot, timed=timed, passage=passage)
        self._learn(event)
        return event

    def _add(
        self,
        turn: LedgerWrite,
        kind: EventKind,
        channel: Channel,
        value: str | None,
        slot: Slot,
        *,
        timed: bool,
        passage: JsonValue = None,
    ) -> Event:
        return turn.add(
            **self._about(slot, self.seen),
            kind=kind,
            value=value,
            supersedes=self.history.heads(slot, channel),
            active_ms=self._active_ms() if timed else None,
            passage=passage,
        )

    def _mark(self, turn: LedgerWrite, slot: Slot) -> Event:
        """Record in the ledger that the rater now sees what the answer at a slot reveals."""
        return turn.add(**self._about(slot.second), kind="note", value=REVEALED)

    def _check_training(self) -> None:
        """Raise RequestError for a second answer in training, or for others before training is done."""
        is_training = self._stages.is_training(self.slot)
        if is_training and self.verdict.state is State.LABELLED:
            raise RequestError("you have seen the known answer; a training answer cannot be changed.")
        left = sum(
            state is not State.LABELLED and self.bundle.cases[slot.case].is_whole
            for slot, state in zip(self.slots[: self._order.training], self._states, strict=False)
        )
        if left and not is_training:
            raise RequestError(f"the training round comes first; {left} of its answers are still missing.")

    def _is_said(self, kind: EventKind, value: str | None, passage: JsonValue) -> bool:
        verdict = self.verdict
        if kind == "skip":
            return self._states[self._position] is State.LABELLED
        if kind == "comment":
            known = self._stages.kept_passage(self.slot, verdict.passage)
            return (value or "", passage) == (verdict.comment, known)
        return kind == "flag" and (value is not None) == verdict.flagged

    @contextmanager
    def _turn(self) -> Iterator[LedgerWrite]:
        """A turn of the ledger, after adding to the history what this rater's other windows have saved."""
        with self._ledger.turn(self.bundle.study.name, self.rater, self.history.newest) as turn:
            self._learn_all(fitting_events(self.bundle, turn.news, (self.assignment,)))
            yield turn

    def _about(self, slot: Slot, panes: list[str] | None = None) -> dict[str, JsonValue]:
        return {
            **asdict(slot),
            "given": self._given,
            "panes": panes,
            "question_digest": self.bundle.shown_digest(slot),
            "swapped": self._stages.exchanged(slot),
        }


def _check_text(what: str, text: str) -> None:
    if fault := text_fault(text):
        raise RequestError(f"the {what} {'; '.join(fault)}.")
