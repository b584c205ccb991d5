"""Which coefficients the answers of some items have: labels without or with an order, sets, texts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from reviewer.agreement.coefficient import (
    COEFFICIENTS,
    COHEN,
    ORDERED_COEFFICIENTS,
    ORDERED_COHEN,
    RANK_COEFFICIENTS,
    SET_COEFFICIENTS,
    SPAN_COEFFICIENTS,
    Coefficient,
)
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.results.labels.dimensions import PAIR
from reviewer.results.labels.divided_items import AnswerForm
from reviewer.study.design.leads import check_store_of_lead
from reviewer.study.design.study_bundle import StudyBundle
from reviewer.study.session.blinding import why_not_direct
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.records import StudyAct
from store.study_log import add_act

LabelWeights = Literal["quadratic", "linear"]
"""How much labels in order still agree when they differ."""

SHOWN_COEFFICIENTS = ("po_all_agree", "po_pairwise", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1")
"""Keys of the registry in reviewer.agreement."""

PAIR_COEFFICIENTS = ("po_pairwise", COHEN.key, "krippendorff_alpha", "gwet_ac1")
"""The coefficients that are shown for rater pairs."""

KNOWN: Mapping[str, Coefficient] = {
    **COEFFICIENTS,
    COHEN.key: COHEN,
    **ORDERED_COEFFICIENTS,
    **ORDERED_COHEN,
    **SET_COEFFICIENTS,
    **RANK_COEFFICIENTS,
    **SPAN_COEFFICIENTS,
}
"""Every coefficient that a table can show."""

_IN_WORDS: Mapping[str, str] = {
    "po_all_agree": "share of items on which all raters give the same label",
    "po_pairwise": "mean share of pairs of raters who give the same label",
}


def coefficient_in_words(key: str) -> str:
    """What a coefficient is, for a legend: a share in words, any other by its title."""
    return _IN_WORDS.get(key, KNOWN[key].title)


OF_TWO = (COHEN.key, *ORDERED_COHEN)
"""Coefficients of exactly two raters."""

DIFFERENT_LABELS = "questions with different labels"
NO_SHARED_ITEM = "no item that both raters see"
NO_PASSING_LABEL = "no label counts as a pass"
NO_UNANIMITY = "a third rater votes only where two disagree"
NOT_COMPUTED: Mapping[AnswerForm, str] = {
    "nominal": "labels have no order",
    "ordinal": "labels have an order",
    "sets": "answers are sets of labels",
    "ranks": "answers are rankings",
    "spans": "answers are spans of a text",
    "text": "answers are texts",
    "mixed": DIFFERENT_LABELS,
}
"""Why a result lacks a coefficient that other rows of its table have."""

_ALPHAS = ("krippendorff_alpha_ordinal", "krippendorff_alpha_interval")
_OF_EQUAL_RANKINGS = ("po_all_agree", "po_pairwise")
"""Shares of equal rankings; where two outputs are ranked, of equal preferences."""
_JACCARD = "krippendorff_alpha_jaccard"


def keys_of(
    form: AnswerForm,
    named: Sequence[str],
    by: Sequence[str],
    weights: LabelWeights,
    *,
    unweighted: bool,
    first: Sequence[str] = (),
) -> tuple[str, ...]:
    """The coefficients of a cell in a table divided ``by`` these dimensions: ``named`` ones, or the usual
    after those that come ``first``.

    Where labels have an order, the form with ``weights`` takes the place of a coefficient; the plain one
    stands beside it if ``unweighted`` is set.
    """
    chosen = named or usual_order(by, first)
    if form == "text":
        return ()
    if form == "sets":
        of_sets = [key for key in chosen if key in SET_COEFFICIENTS] or [_JACCARD]
        return tuple(dict.fromkeys([*(key for key in chosen if key == "po_all_agree"), *of_sets]))
    if form == "ranks":
        of_ranks = [key for key in chosen if key in RANK_COEFFICIENTS] or [*RANK_COEFFICIENTS]
        return tuple(dict.fromkeys([*(key for key in chosen if key in _OF_EQUAL_RANKINGS), *of_ranks]))
    if form == "spans":
        of_spans = [key for key in chosen if key in SPAN_COEFFICIENTS] or [*SPAN_COEFFICIENTS]
        return (*(key for key in chosen if key == "po_all_agree"), *of_spans)
    if form == "ordinal":
        more = () if named or PAIR in by else ("brennan_prediger",)
        return tuple(
            dict.fromkeys(name for key in (*chosen, *more) for name in _both(key, weights, unweighted))
        )
    return tuple(key for key in chosen if key in COEFFICIENTS or key == COHEN.key)


def usual_order(by: Sequence[str], first: Sequence[str]) -> tuple[str, ...]:
    """The usual coefficients after the first ones. Pairs of raters have only their own, in that order."""
    if PAIR not in by:
        return tuple(dict.fromkeys((*first, *SHOWN_COEFFICIENTS)))
    return tuple(dict.fromkeys((*(key for key in first if key in PAIR_COEFFICIENTS), *PAIR_COEFFICIENTS)))


def _both(key: str, weights: LabelWeights, unweighted: bool) -> Iterator[str]:
    """A coefficient as labels in order have it, after the plain one where that is shown too."""
    weighted = ordered_forms(key, weights)
    plain = key in COEFFICIENTS or key == COHEN.key
    if plain and (unweighted or not weighted):
        yield key
    yield from weighted
    if key in ORDERED_COEFFICIENTS or key in ORDERED_COHEN:
        yield key


def ordered_forms(key: str, weights: LabelWeights | None = None) -> tuple[str, ...]:
    """The coefficients that stand for this one where labels have an order, with these weights or any."""
    if key == "krippendorff_alpha":
        return _ALPHAS
    base = "gwet_ac2" if key == "gwet_ac1" else key
    names = [f"{base}_{each}" for each in ((weights,) if weights else ("quadratic", "linear"))]
    return tuple(name for name in names if name in KNOWN)


def first_coefficients(bundle: StudyBundle) -> tuple[str, ...]:
    """The coefficients that tables of the study begin with, as its lead chose last; () for the usual."""
    chosen = [act.why for act in bundle.acts if act.kind == "coefficients"]
    return tuple(key for key in chosen[-1].split(",") if key in KNOWN) if chosen else ()


def plain_form(key: str) -> str:
    """The coefficient of labels without an order that this one stands for; else that one itself."""
    return next((plain for plain in COEFFICIENTS if key in ordered_forms(plain)), key)


def choose_first(database: Database, study: str, who: str, keys: Sequence[str]) -> StudyAct:
    """Record the coefficients that tables begin with; none for the usual order. Raises RequestError."""
    check_store_of_lead(database, study, "choose coefficients", "coefficients are chosen")
    if reason := why_not_direct(progress_of(database, study), checked_name("lead", who)):
        raise RequestError(reason)
    check_coefficients(keys, ())
    act = add_act(database, study, "coefficients", who, ",".join(dict.fromkeys(keys)))
    assert act is not None
    return act


def check_coefficients(keys: Sequence[str], by: Sequence[str]) -> None:
    """Raise RequestError for an unknown coefficient, or one that only rater pairs have."""
    for key in keys:
        if key not in KNOWN:
            raise RequestError(f"there is no coefficient {key!r}; choose from {', '.join(KNOWN)}.")
        if key in OF_TWO and PAIR not in by:
            raise RequestError(
                "Cohen's kappa is defined for two raters; divide by pair, or take light_kappa_defined_pairs."
            )
