"""The pages of a release, made from its content alone: card, changelog, citation, Croissant metadata."""

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from reviewer.core.escaping import markdown_code, markdown_text
from reviewer.core.number_text import percent, with_interval
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.templates import Templates
from reviewer.exchange.releases.croissant import croissant_of
from reviewer.exchange.releases.release_content import (
    SPDX_LICENCES,
    ChangeFacts,
    GeneratorCases,
    LeftOutCases,
    ReleaseContent,
    StatedEstimate,
    StudyFacts,
)
from reviewer.exchange.releases.release_layout import (
    CARD,
    CHANGELOG,
    CHECKSUMS,
    CITATION,
    CROISSANT,
    DECLARATION,
    MANIFEST,
    OWN,
    PARQUET,
    ROWS,
    DataFile,
)

_LEFT_OUT = {
    "withdrawn": "withdrawn by the maintainers of the dataset",
    "finding": "a finding of the check {} stands",
    "failed": "did not pass every question of study {}",
    "undecided": "undecided: the labels of study {} settle no final label on at least one question",
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
_SHARES, _COEFFICIENTS = ("all_agree", "majority", "unanimity"), ("kappa", "alpha", "ac1")
_FEW = 10
_HUB_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def release_pages(content: ReleaseContent, data: Mapping[str, DataFile]) -> dict[str, str]:
    """The pages by the names of their files. ``data`` are the data files by their paths."""
    parquet = PARQUET in data
    values: dict[str, Any] = {
        "release": content,
        "seal": content.seal,
        "parquet": parquet,
        "files": {
            "declaration": DECLARATION,
            "rows": ROWS,
            "own": OWN,
            "parquet": PARQUET,
            "manifest": MANIFEST,
            "checksums": CHECKSUMS,
        },
        "hub_licence": content.citation.licence.lower(),
        "known_licence": SPDX_LICENCES.get(content.citation.licence.lower()),
        "hub_size": next((name for most, name in _HUB_SIZES if len(content.cases) < most), "n>1M"),
        "changes": _by_version(content),
        "right_options": right_option_words(content),
        "together_stands": any(checked.stands for checked in content.dataset_checks),
        "limits": tuple(_limits(content)),
        "revised": _revised(content),
        "methods": _methods(content),
        "weights": sorted(
            {question.weights for study in content.studies for question in study.questions} - {""}
        ),
        "filled_in": any("{" in question.prompt for study in content.studies for question in study.questions),
    }
    pages = {CARD: "card.md", CHANGELOG: "changelog.md"}
    texts = {name: _markdown().render(template, **values) for name, template in pages.items()}
    texts[CITATION] = _yaml().render("citation.cff", **values)
    texts[CROISSANT] = json.dumps(croissant_of(content, data), ensure_ascii=False, indent=1) + "\n"
    return texts


@cache
def _markdown() -> Templates:
    filters: dict[str, Callable[[Any], Any]] = {
        "cases": lambda number: counted(number, "case"),
        "estimate": _estimate,
        "raters": lambda number: counted(number, "rater"),
        "labels": lambda number: counted(number, "label"),
        "adjudicated": _adjudicated,
        "rounds": lambda number: counted(number, "round"),
        "by_case": _by_case,
        "left_out": left_out_words,
        "change": _change,
        "written_by": _written_by,
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


def _estimate(stated: StatedEstimate) -> str:
    estimate = stated.estimate
    return with_interval(estimate) or f"undefined ({estimate.reason})"


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
    whole = f" Before cases were left out, it was {before}." if _left_present(content) else ""
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


def _left_present(content: ReleaseContent) -> bool:
    return any(right.cases != right.of_dataset for right in content.right_options)


def _change(change: ChangeFacts) -> str:
    settled = f"; settles {', '.join(change.resolves)}" if change.resolves else ""
    reason = f"; reason: {change.reason}" if change.reason else ""
    by = _PROPOSERS.get(change.proposed_by, "")
    return f"{_KINDS.get(change.kind, change.kind)} on {change.date} by {change.person}{by}{settled}{reason}"


def _adjudicated(people: int) -> str:
    if not people:
        return "Nobody adjudicated disagreements."
    return f"{'One person' if people == 1 else f'{people:,} people'} adjudicated disagreements."


def _by_case(study: StudyFacts) -> str:
    """How many raters judged each case, as a sentence."""
    some = f"{study.fewest:,}" if study.fewest == study.most else f"{study.fewest:,} to {study.most:,}"
    return f"{some} {agreeing(study.most, 'rater', 'raters')} judged each case."


def _revised(content: ReleaseContent) -> str:
    """How often cases were changed since the import, by kind; "" if none was."""
    kinds = Counter(change.kind for change in content.changes)
    return ", ".join(counted(kinds[kind], noun) for kind, noun in _REVISIONS.items() if kinds[kind])


def _methods(content: ReleaseContent) -> list[str]:
    """How the intervals of the studies were computed, each method once."""
    stated = [
        (names, getattr(question, name).method)
        for study in content.studies
        for question in study.questions
        for names, group in (("shares", _SHARES), ("coefficients", _COEFFICIENTS))
        for name in group
    ]
    return list(dict.fromkeys(f"{names}: {method}" for names, method in stated if method))


def _written_by(written: GeneratorCases) -> str:
    kind = "written by people" if written.by_people else "generated"
    return f"{counted(written.cases, 'case')} {kind}"


def _by_version(content: ReleaseContent) -> dict[str, list[ChangeFacts]]:
    """The changes by the version that has them first, newest version first; this version always."""
    versions: dict[str, list[ChangeFacts]] = {}
    for change in content.changes:
        versions.setdefault(change.version, []).append(change)
    versions.setdefault(content.version, [])
    return dict(reversed(versions.items()))


def _limits(content: ReleaseContent) -> list[str]:
    """What the numbers do not cover, case by case."""
    audit, limits = content.audit, []
    unchecked = audit.contents - audit.audited - audit.earlier
    if unchecked:
        limits.append(f"{counted(unchecked, 'case')} of {audit.contents:,} {_was(unchecked)} not audited.")
    if audit.earlier:
        limits.append(
            f"{counted(audit.earlier, 'case')} {_was(audit.earlier)} audited by earlier checks only."
        )
    if audit.not_tested:
        limits.append(f"On {counted(audit.not_tested, 'case')} at least one check could not run.")
    if audit.findings:
        limits.append("Findings stand that nobody dismissed; the table above counts them.")
    if any(checked.stands for checked in content.dataset_checks):
        limits.append("Findings about the released cases together stand that nobody dismissed.")
    reviewed = max((study.released for study in content.studies), default=0)
    if not reviewed:
        limits.append("No expert labels count for the released contents.")
    elif reviewed < len(content.cases):
        limits.append(
            f"Experts reviewed a sample: the largest study has {counted(reviewed, 'case')} of the "
            f"{len(content.cases):,} released, and pass rates of the sample have the intervals given above."
        )
    limits += _limits_of_studies(content.studies)
    if content.open_studies:
        studies = "study" if content.open_studies == 1 else "studies"
        limits.append(
            f"{content.open_studies:,} {studies} of the dataset {_was(content.open_studies)} open "
            "when this version was made; nothing of them is stated here."
        )
    if content.withdrawn:
        limits.append(
            f"{counted(len(content.withdrawn), 'withdrawn case')} {_was(len(content.withdrawn))} "
            f"included on request: {', '.join(content.withdrawn)}."
        )
    return limits


def _limits_of_studies(studies: Sequence[StudyFacts]) -> list[str]:
    """Studies too small for intervals, and questions that some raters left open."""
    small = [
        f"Study {study.name} has {counted(study.cases, 'case')}; below {_FEW}, no interval is shown."
        for study in studies
        if study.cases < _FEW
    ]
    left_open = [
        f"In study {study.name}, some raters did not answer {question.title} on every case: it has "
        f"{counted(question.labels_given, 'label')} on {counted(question.items, 'case')}."
        for study in studies
        for question in study.questions
        if question.labels_given < question.items * study.fewest
    ]
    return [*small, *left_open]


def _was(number: int) -> str:
    return agreeing(number, "was", "were")
