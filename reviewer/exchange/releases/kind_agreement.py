"""Agreement on sets, rankings and spans, which have coefficients of their own, in releases."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.estimate import Estimate
from reviewer.core.number_text import value_or_reason
from reviewer.exchange.releases.release_content import AgreementFacts, QuestionFacts, StudyFacts
from reviewer.results.labels.agreement_results import AgreementResult
from reviewer.results.labels.coefficient_choice import KNOWN
from reviewer.results.labels.label_spread import LabelAgreement

_COEFFICIENTS: Mapping[str, tuple[str, ...]] = {
    "sets": ("krippendorff_alpha_jaccard",),
    "ranks": ("po_pairwise",),
    "spans": ("unitised_alpha", "character_f1"),
}
"""By the form of the answers; W and tau-b of rankings are fields of their own."""
_OF_RANKINGS = {"kendall_w": "kendall_w", "tau_b": "kendall_tau_b"}
_TOLD = {"po_pairwise": "pairs of raters with the same answer"}
_READ = {
    "sets": "Alpha of sets counts how many labels two raters share of all that either chose.",
    "ranks": "W and tau-b compare the rankings of each case, and are means over cases.",
    "spans": "Alpha and F1 of spans compare the characters that raters marked, with one label or with all.",
}


@dataclass(frozen=True, slots=True)
class KindTable:
    """The agreement on all questions of one kind, as a card prints it."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    says: str
    """How to read the coefficients."""


def kind_facts(result: AgreementResult, by_label: Iterable[LabelAgreement]) -> tuple[AgreementFacts, ...]:
    """The coefficients of a question's answers together, and of each of their labels; () for one label."""
    keys = [key for key in _COEFFICIENTS.get(result.form, ()) if key in result.coefficients]
    if not keys:
        return ()
    whole = AgreementFacts(coefficients={key: result.coefficients[key] for key in keys})
    return (whole, *(AgreementFacts(label=of.label, coefficients={**of.coefficients}) for of in by_label))


def ranking_facts(result: AgreementResult) -> dict[str, Estimate | None]:
    """W and tau-b by the names of their fields; None where answers are no rankings."""
    return {name: result.coefficients.get(key) for name, key in _OF_RANKINGS.items()}


def has_own(question: QuestionFacts) -> bool:
    """Whether the coefficients of single labels say nothing about the answers."""
    return question.answer_kind.form in _COEFFICIENTS


def own_agreement(question: QuestionFacts) -> dict[tuple[str, str], Estimate]:
    """Each coefficient that only answers of this kind have, by its label ("" for all) and its title."""
    ranked = {key: getattr(question, name) for name, key in _OF_RANKINGS.items()}
    return {("", _title(key)): estimate for key, estimate in ranked.items() if estimate} | {
        (facts.label, _title(key)): estimate
        for facts in question.agreement
        for key, estimate in facts.coefficients.items()
    }


def _title(key: str) -> str:
    return _TOLD.get(key) or (KNOWN[key].title if key in KNOWN else key)


def of_one_label(told: StudyFacts) -> list[tuple[QuestionFacts, str]]:
    """The other questions, each with the end of its title: of the sample, then of its dataset."""
    return [each for each in _with_ending(told) if not has_own(each[0])]


def _with_ending(told: StudyFacts) -> list[tuple[QuestionFacts, str]]:
    return [*((question, "") for question in told.questions), *((of, ", dataset") for of in told.weighted)]


def kind_tables(told: StudyFacts) -> list[KindTable]:
    """A table for each kind of answers other than one label."""
    return [
        _kind_table(of_form, says)
        for form, says in _READ.items()
        if (of_form := [each for each in _with_ending(told) if each[0].answer_kind.form == form])
    ]


def _kind_table(questions: Sequence[tuple[QuestionFacts, str]], says: str) -> KindTable:
    own = [own_agreement(question) for question, _ in questions]
    titles = [*dict.fromkeys(title for named in own for _, title in named)]
    rows: list[tuple[str, ...]] = []
    for (question, ending), named in zip(questions, own, strict=True):
        for label in dict.fromkeys(("", *(label for label, _ in named))):
            whose = f"{question.title}{f', {label}' if label else ''}{ending}"
            whole = (
                (f"{question.labels_given:,}", value_or_reason(question.all_agree)) if not label else ("", "")
            )
            held = (named.get((label, title)) for title in titles)
            rows.append((whose, *whole, *(value_or_reason(one) if one else "" for one in held)))
    return KindTable(("question", "answers", "all agree", *titles), tuple(rows), says)
