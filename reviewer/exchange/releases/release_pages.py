"""The pages of a release, made from its content alone: card, changelog, citation, metadata."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from reviewer.core.number_text import percent, short_number, value_or_reason
from reviewer.core.page_templates import Templates, markdown_code, markdown_text
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.exchange.releases.card_words import (
    answered_words,
    audit_words,
    guess_words,
    no_finding_words,
    outcome_words,
    passed_words,
    rule_words,
)
from reviewer.exchange.releases.croissant import croissant_of, description, missing_topics
from reviewer.exchange.releases.dataset_description import TOPIC_WORDS
from reviewer.exchange.releases.kind_agreement import kind_tables, of_one_label, own_agreement
from reviewer.exchange.releases.published_labels import names_with_labels
from reviewer.exchange.releases.release_content import (
    SPDX_LICENCES,
    ChangeFacts,
    HumanFacts,
    LeftOutCases,
    QuestionFacts,
    ReleaseContent,
    ReportFacts,
)
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_limits import looked_for, makers_word
from reviewer.exchange.rows.row_files import json_text
from reviewer.protocols.intake import ORIGINS
from reviewer.results.labels.known_labels import level_words
from store.records import JsonValue

_LEFT_OUT = {
    "withdrawn": "withdrawn by the maintainers of the dataset",
    "finding": "a finding of the check {} stands",
    "failed": "did not pass every question of study {}",
    "undecided": "undecided: the labels of study {} settle no final label on at least one question",
    "held out": "held out: sealed by its digest and not published",
    "not reviewed": "not reviewed: study {} has no labels for exactly this content",
}
_KINDS = {
    "repair": "repaired",
    "withdrawal": "withdrawn",
    "revert": "an earlier content again",
    "import": "new content from a file",
    "settlement": "conflicting repairs settled",
}
_REVISIONS = {
    "repair": "repair",
    "withdrawal": "withdrawal",
    "revert": "revert",
    "import": "import",
    "settlement": "settled conflict",
}
_PROPOSERS = {"person": "", "rule": ", by rule", "model": ", proposed by a model and accepted by a person"}
_INTERVALS = {
    "all agree": ("all_agree",),
    "pass rates": ("majority", "unanimity"),
    (_OWN := "coefficients"): ("kappa", "alpha", "ac1"),
}
_HUB_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def release_pages(content: ReleaseContent, data: Mapping[str, bytes]) -> dict[str, str]:
    """The pages by the names of their files. ``data`` are the files of data by their paths."""
    parquet = ReleaseFile.PARQUET in data
    values: dict[str, Any] = {
        "release": content,
        "seal": content.seal,
        "parquet": parquet,
        "with_labels": ReleaseFile.LABELS in data,
        "with_their_labels": names_with_labels(data),
        "files": ReleaseFile,
        "hub_licence": content.citation.licence.lower(),
        "known_licence": SPDX_LICENCES.get(content.citation.licence.lower()),
        "hub_size": next((name for most, name in _HUB_SIZES if len(content.cases) < most), "n>1M"),
        "changes": _by_version(content),
        "right_options": right_option_words(content),
        "audited": audit_words(content.audit, programs=bool(content.decisions)),
        "no_finding": no_finding_words(content),
        "passed": passed_words(content),
        "guessed": guess_words(content.guessing, len(content.cases)),
        "rule": rule_words(content.studies),
        "limits": [sentence for limit in looked_for(content) for sentence in limit.found],
        "not_found": [limit.about for limit in looked_for(content) if not limit.found],
        "described": {
            TOPIC_WORDS[topic]: " ".join(text.split()) for topic, text in content.described.items()
        },
        "missing": [TOPIC_WORDS[topic] for topic in missing_topics(content)],
        "revised": _revised(content),
        "methods": _methods(content),
        "makers_word": makers_word(content),
        "weights": sorted(
            {question.weights for study in content.studies for question in study.questions} - {""}
        ),
        "one_label": any(of_one_label(study) for study in content.studies),
        "filled_in": any("{" in question.prompt for study in content.studies for question in study.questions),
    }
    pages = {ReleaseFile.CARD: "card.md", ReleaseFile.CHANGELOG: "changelog.md"}
    texts: dict[str, str] = {name: _markdown().render(template, **values) for name, template in pages.items()}
    texts[ReleaseFile.CITATION] = _yaml().render("citation.cff", **values)
    texts[ReleaseFile.CROISSANT] = json_text(croissant_of(content, data), indent=1)
    texts[ReleaseFile.ZENODO] = json_text(_zenodo(content), indent=1)
    return texts


def _zenodo(content: ReleaseContent) -> dict[str, JsonValue]:
    """Title, authors, licence and version for Zenodo. A licence that it may not know stands in the notes.

    The fields: https://developers.zenodo.org/#representation.
    """
    licence = content.citation.licence
    known = licence.lower() in SPDX_LICENCES
    stated: dict[str, JsonValue] = {"access_right": "open", "license": licence.lower()} if known else {}
    return {
        "upload_type": "dataset",
        "title": content.title,
        "description": description(content),
        "creators": [{"name": author} for author in content.citation.authors],
        "version": content.version,
        "publication_date": content.date,
        "keywords": ["benchmark", content.protocol],
        "notes": f"The seal of this version is {content.seal}." + ("" if known else f" Licence: {licence}."),
        **stated,
    }


@cache
def _markdown() -> Templates:
    filters: dict[str, Callable[[Any], Any]] = {
        "answered": answered_words,
        "cases": lambda number: counted(number, "case"),
        "estimate": value_or_reason,
        "of_one_label": of_one_label,
        "by_kind": kind_tables,
        "human": human_words,
        "guessed": lambda value: "none" if value is None else short_number(value),
        "outcome": outcome_words,
        "raters": lambda number: counted(number, "rater"),
        "labels": lambda number: counted(number, "label"),
        "adjudicated": _adjudicated,
        "rounds": lambda number: counted(number, "round"),
        "by_case": lambda study: f"{study.raters_of_a_case} judged each case.",
        "left_out": left_out_words,
        "change": _change,
        "choices": lambda question: question.answer_kind.choices_listed(question.labels),
        "report": report_words,
        "written_by": lambda by: f"{counted(by.cases, 'case')} {ORIGINS[by.written]}",
        "were": lambda number: agreeing(number, "was", "were"),
    }
    writers = {"yaml": _quoted, "code": markdown_code}
    return Templates(__package__, markdown_text, filters=filters, writers=writers)


@cache
def _yaml() -> Templates:
    return Templates(__package__, _quoted)


def _quoted(text: object) -> str:
    """Text in quotes that YAML and JSON read alike."""
    return json.dumps(visible(str(text)))


def left_out_words(left: LeftOutCases) -> str:
    """Why cases were left out."""
    return _LEFT_OUT[left.why].format(left.of.replace("_", " ") if left.why == "finding" else left.of)


def right_option_words(content: ReleaseContent) -> str:
    """How often each option is right among the released cases; "" where cases have not the same options."""
    options = [right for right in content.right_options if right.option is not None]
    decided = sum(right.cases for right in options)
    if not decided:
        return ""
    shares = " and ".join(
        f"{right.option} is right in {counted(right.cases, 'case')} ({percent(right.cases / decided)})"
        for right in options
    )
    before = " and ".join(f"{right.of_dataset:,}" for right in options)
    left_out = any(right.cases != right.of_dataset for right in content.right_options)
    whole = f" Before cases were left out, it was {before}." if left_out else ""
    open_ = sum(right.cases for right in content.right_options if right.option is None)
    unknown = f" No decision was measured for {counted(open_, 'case')}." if open_ else ""
    return f"By the programs, {shares}.{whole}{unknown}"


def lost_balance(content: ReleaseContent) -> bool:
    """Whether leaving cases out made one option right more often than the other, by more than one case."""
    options = [right for right in content.right_options if right.option is not None]
    if not options:
        return False
    here, before = (
        max(counts) - min(counts)
        for counts in ([right.cases for right in options], [right.of_dataset for right in options])
    )
    return here > max(before, 1)


def _change(change: ChangeFacts) -> str:
    settled = f"; settles {', '.join(change.resolves)}" if change.resolves else ""
    reason = f"; reason: {change.reason}" if change.reason else ""
    by = _PROPOSERS.get(change.proposed_by, "")
    return f"{_KINDS.get(change.kind, change.kind)} on {change.date} by {change.person}{by}{settled}{reason}"


def human_words(human: HumanFacts) -> str:
    """How often people give the published answer, in a sentence."""
    share = value_or_reason(human.share)
    return level_words(human.published, human.question, human.raters, human.answers, share, human.share.n)


def _adjudicated(people: int) -> str:
    if not people:
        return "Nobody adjudicated disagreements."
    return f"{'One person' if people == 1 else f'{people:,} people'} adjudicated disagreements."


def _revised(content: ReleaseContent) -> str:
    """How often cases were changed since the import, by kind; "" if none was."""
    kinds = Counter(change.kind for change in content.changes)
    return ", ".join(counted(kinds[kind], noun) for kind, noun in _REVISIONS.items() if kinds[kind])


def _methods(content: ReleaseContent) -> list[str]:
    """How the intervals of the studies were computed: for each kind of rows, which numbers have which."""
    return [
        f"{where}{', '.join(names)} {method}"
        for where, questions in (
            ("", [question for study in content.studies for question in study.questions]),
            (
                "in rows of the dataset, ",
                [question for study in content.studies for question in study.weighted],
            ),
        )
        for method, names in _by_method(questions).items()
    ]


def _by_method(questions: Sequence[QuestionFacts]) -> dict[str, list[str]]:
    """The numbers whose intervals a method computed, by method."""
    found: dict[str, list[str]] = {}
    for names, group in _INTERVALS.items():
        numbers = [getattr(question, name) for question in questions for name in group]
        if names == _OWN:
            numbers += [number for question in questions for number in own_agreement(question).values()]
        intervals = (number.interval for number in numbers)
        for method in dict.fromkeys(interval.method for interval in intervals if interval):
            found.setdefault(method, []).append(names)
    return found


def report_words(report: ReportFacts) -> str:
    """A reader's report about a case, and its state when the release was made."""
    said = f"; the reader's words: {report.text}" if report.text else ""
    link = f" ({report.link})" if report.link else ""
    reason = f"; reason: {report.reason}" if report.reason else ""
    return f"reported by a reader on {report.date}{said}{link}; {_became(report)}{reason}"


def _became(report: ReportFacts) -> str:
    if report.became == "open":
        return "still open"
    if report.became == "dismissed":
        return f"dismissed on {report.since}"
    earlier = " before that," if report.since < report.date else ""
    return f"{_KINDS[report.became]}{earlier} on {report.since}"


@dataclass
class _OfVersion:
    """New in a version: changes of cases, and states of reports."""

    steps: list[ChangeFacts] = field(default_factory=list)
    reports: list[ReportFacts] = field(default_factory=list)


def _by_version(content: ReleaseContent) -> dict[str, _OfVersion]:
    """The changes and reports by the version that has them first, newest first; this version always."""
    versions: dict[str, _OfVersion] = {}
    for change in content.changes:
        versions.setdefault(change.version, _OfVersion()).steps.append(change)
    for report in content.reports:
        versions.setdefault(report.version, _OfVersion()).reports.append(report)
    this = versions.pop(content.version, _OfVersion())
    return {content.version: this, **dict(reversed(versions.items()))}
