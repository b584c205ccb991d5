"""Contradictions between one rater's answers. The rater is asked about each once, and the reason is kept."""

from dataclasses import dataclass, replace

from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.verdicts import History, Slot


@dataclass(frozen=True, slots=True)
class Clash:
    """Two slots whose answers contradict each other, and why. Both slots are those of the first verdicts."""

    here: Slot
    there: Slot
    why: str

    @property
    def repeated(self) -> bool:
        """Whether both slots are the same question about the same case, which is shown twice."""
        return self.here.question == self.there.question


def clash_at(bundle: StudyBundle, history: History, slot: Slot, label: str | None) -> Clash | None:
    """The first contradiction between a label at a slot and the rater's other answers about the same case.

    There is none in training, and none if the rater was already asked about these two answers.
    """
    if label is None or bundle.roles[slot.case] == "training":
        return None
    clashes = [*_repeated(history, slot, label), *_declared(bundle, history, slot, label)]
    return next((clash for clash in clashes if not history.has_explained(slot, clash.there)), None)


def _repeated(history: History, slot: Slot, label: str) -> list[Clash]:
    other = replace(slot, showing=1 - slot.showing)
    said = history.verdict(other).label
    if said in (None, label):
        return []
    return [Clash(slot, other, "You were asked this about the same case before, and gave another answer.")]


def _declared(bundle: StudyBundle, history: History, slot: Slot, label: str) -> list[Clash]:
    clashes = []
    for rule in bundle.protocol.contradictions:
        others = {key: said for key, said in rule.answers.items() if key != slot.question}
        if rule.answers.get(slot.question) != label or not others:
            continue
        slots = {key: replace(slot, question=key) for key in others}
        if all(history.verdict(slots[key]).label == said for key, said in others.items()):
            titles = " and ".join(f"{bundle.question(key).title} = {said}" for key, said in others.items())
            clashes.append(Clash(slot, next(iter(slots.values())), f"You also answered {titles}. {rule.why}"))
    return clashes
