"""Letters in place of raters' names, for reports without names."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_uppercase

from reviewer.study.design.seeding import derived_seed, shuffled
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.design.study_design import StudyDesign
from store.records import Event, Study, StudyAct


def anonymised(bundle: StudyBundle, events: Sequence[Event]) -> tuple[StudyBundle, list[Event]]:
    """The same study with letters instead of names. Events keep the digests that they have in the ledger.

    The study's seed shuffles the letters, so that they do not follow the alphabetical order of the names.
    """
    names = _letters(bundle, events)
    nameless = replace(
        bundle,
        study=_nameless_study(bundle, names),
        raters=tuple(known.model_copy(update={"rater": names[known.rater]}) for known in bundle.raters),
        adjudicators=tuple(
            known.model_copy(update={"rater": names[known.rater]}) for known in bundle.adjudicators
        ),
        acts=tuple(_nameless_act(act, names) for act in bundle.acts),
        left_out=tuple(
            replace(excluded, rater=names.get(excluded.rater, "somebody")) for excluded in bundle.left_out
        ),
    )
    return nameless, [event.model_copy(update={"rater": names[event.rater]}) for event in events]


def _nameless_study(bundle: StudyBundle, names: Mapping[str, str]) -> Study:
    """The study, with letters for the raters of each case if raters see different cases."""
    design = StudyDesign.of(bundle.study)
    if not design.panels:
        return bundle.study
    panels = {case: sorted(names[rater] for rater in panel) for case, panel in design.panels.items()}
    owed_by = {names[rater]: slots for rater, slots in design.owed_by.items()}
    return bundle.study.model_copy(
        update={"design": bundle.study.design | {"panels": panels, "owed_by": owed_by}}
    )


def _nameless_act(act: StudyAct, names: Mapping[str, str]) -> StudyAct:
    """An act about a person with letters, also in its reason; other acts as they are."""
    if act.kind == "lead" and act.subject:
        return act.model_copy(update={"who": names[act.subject], "subject": names[act.subject]})
    if act.kind == "third" and act.subject:
        held = {"who": names.get(act.who, "the lead"), "subject": names[act.subject]}
        asked = {names[rater]: verdicts for rater, verdicts in act.unfinished.items()}
        return act.model_copy(update={**held, "unfinished": asked})
    if act.kind not in ("exclude", "include", "withdraw") or not act.subject:
        return act
    why = act.why
    for name in sorted(names, key=len, reverse=True):
        why = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", names[name], why)
    who = names.get(act.who, "the lead")
    return act.model_copy(update={"who": who, "subject": names.get(act.subject, "a rater"), "why": why})


def _letters(bundle: StudyBundle, events: Iterable[Event]) -> Mapping[str, str]:
    """Name → letter: raters, then people who only adjudicate, then leads who do neither."""
    adjudicators = {known.rater for known in bundle.adjudicators}
    raters = {known.rater for known in bundle.raters} | {event.rater for event in events} - adjudicators
    seed = derived_seed(bundle.study.seed, "letters")
    kinds = {
        "rater": raters,
        "adjudicator": adjudicators - raters,
        "lead": set(bundle.leads) - adjudicators - raters,
    }
    return {
        name: f"{kind} {_letter(at)}"
        for kind, people in kinds.items()
        for at, name in enumerate(shuffled(people, seed))
    }


def _letter(number: int) -> str:
    """A to Z, then AA, AB and so on."""
    rest, last = divmod(number, len(ascii_uppercase))
    return (_letter(rest - 1) if rest else "") + ascii_uppercase[last]
