"""What experts found in the answers of a run, as sections and tables of the run's report."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reviewer.core.question import families
from reviewer.core.table import TableSpec
from reviewer.report.design_section import wording
from reviewer.report.document import Block, Numbers, Paragraph, Quote, Section
from reviewer.report.draw_text import draw_in_words
from reviewer.results.labels.answer_shares import GROUP, MODEL, speaks_for
from reviewer.results.labels.answer_studies import AnswerStudy
from reviewer.results.tables.agreement_tables import agreement_spec
from reviewer.results.tables.answer_tables import answer_shares_spec


def answer_sections(studies: Sequence[AnswerStudy], shown: Mapping[str, Numbers]) -> list[Block]:
    """For each study its questions word for word, its draw, the shares of the run, and agreement."""
    lead = (
        "Experts judged answers of the run without knowing which model gave them. Final labels count: the "
        "adjudicated one, else the majority's."
    )
    return [Section("Answers judged by experts"), Paragraph(lead), *_of_studies(studies, shown)]


def _of_studies(studies: Sequence[AnswerStudy], shown: Mapping[str, Numbers]) -> Iterator[Block]:
    for study in studies:
        bundle = study.bundle
        yield Section(f"Study “{bundle.study.name}”", 2)
        yield Paragraph(f"{draw_in_words(bundle)} {speaks_for(bundle)}")
        yield from (shown[name] for name in _table_names(study) if name in shown)
        for question, *_ in families(bundle.questions):
            yield Quote(question.title, tuple(wording(bundle, question)))


def answer_tables(study: AnswerStudy) -> Iterator[tuple[str, str, TableSpec[Any], Sequence[Any]]]:
    """A study's tables, each with its name, its caption and its rows."""
    by_model, by_group, agreement = _table_names(study)
    name = study.bundle.study.name
    caption = f"Labels of the run's answers by {{}}, study “{name}”"
    yield by_model, caption.format("model"), answer_shares_spec((MODEL,)), study.by_model
    yield by_group, caption.format("group"), answer_shares_spec((GROUP,)), study.by_group
    spec = agreement_spec(("question",), study.agreement)
    yield agreement, f"Agreement of the experts, study “{name}”", spec, study.agreement


def _table_names(study: AnswerStudy) -> tuple[str, str, str]:
    """The names of a study's tables: shares by model, shares by group, and agreement."""
    name = study.bundle.study.name
    return f"answers-{name}-by-model", f"answers-{name}-by-group", f"answers-{name}-agreement"
