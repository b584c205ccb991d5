"""What a release states of itself: the content of ``release.json``, which its seal covers.

The pages of a release are made from this alone, so that a reader can make them again and compare.
"""

import json
import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate, Interval
from reviewer.core.sanitize import one_line
from reviewer.protocols.intake import HAND_WRITTEN
from store.records import Digest, digest_of

FORMAT = "dilemma-reviewer release 1.0"
FORMATS_BEFORE = ("dilemma-reviewer release 1", "dilemma-reviewer release 2")
"""Formats of releases that were made before version 1.0, which are not read."""
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}([-+.][0-9A-Za-z]+)*")
_LONGEST_VERSION = 32
# Identifiers of the Hub → those of SPDX, which CITATION.cff needs.
SPDX_LICENCES = {
    name.lower(): name
    for name in (
        *("Apache-2.0", "CC-BY-4.0", "CC-BY-NC-4.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-4.0", "CC-BY-ND-4.0"),
        *("CC-BY-SA-4.0", "CC0-1.0", "CDLA-Permissive-2.0", "MIT"),
    )
}

StatedText = Annotated[str, StringConstraints(max_length=20_000)]
Count = Annotated[int, Field(ge=0)]


class _Stated(BaseModel):
    """Frozen, validated, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class ReleaseOptions(_Stated):
    """What a release holds: cases that passed ``passed`` studies, ``without`` these findings, and what is
    published of people and of their words.
    """

    passed: tuple[StatedText, ...] = ()
    without: tuple[StatedText, ...] = ()
    with_withdrawn: bool = False
    names: bool = False
    reasons: bool = False


class StatedCitation(_Stated):
    """Licence, authors and contact."""

    licence: StatedText
    authors: tuple[StatedText, ...]
    contact: StatedText


class LeftOutCases(_Stated):
    """How many cases were left out for one reason; ``of`` is the check or the study."""

    why: Literal["withdrawn", "finding", "failed", "undecided", "not reviewed"]
    of: StatedText = ""
    cases: Count


class RightOptionFacts(_Stated):
    """In how many cases an option is right, as the audit measured it: of the release, and of the dataset.

    Withdrawn cases of the dataset do not count. ``option`` is None for cases without a measured decision.
    """

    option: StatedText | None
    cases: Count
    of_dataset: Count


class GeneratorCases(_Stated):
    """How many cases one generator wrote, or people did (origin ``seed``)."""

    generator: StatedText
    origin: Literal["seed", "generated"]
    cases: Count

    @property
    def by_people(self) -> bool:
        """Whether people wrote the cases."""
        return self.origin == "seed" or self.generator == HAND_WRITTEN


class GenerationFacts(_Stated):
    """A run that wrote cases of the release. ``by_kind`` is set where its candidates are of several kinds."""

    name: StatedText
    model: StatedText
    seed: int
    rounds: Count
    candidates: Count
    approved: Count
    prompts_digest: StatedText
    started: StatedText
    by_kind: tuple[StatedText, ...] = ()


class FindingCases(_Stated):
    """How many cases have a finding of a check that nobody dismissed."""

    check: StatedText
    severity: StatedText
    cases: Count


class CheckAsked(_Stated):
    """A check of the audit, and what it looks for in a sentence."""

    check: StatedText
    asks: StatedText


class DatasetCheckFacts(_Stated):
    """What a check of the dataset as a whole came to for the released cases, and whether it was dismissed.

    ``person`` and ``reason`` of a dismissal are given if the options say so.
    """

    check: StatedText
    result: StatedText
    says: StatedText
    person: StatedText | None = None
    reason: StatedText | None = None

    @property
    def stands(self) -> bool:
        """Whether the check failed and nobody dismissed what it found: its result is then a severity."""
        return self.result in SEVERITIES


class AuditFacts(_Stated):
    """What the audit came to, in numbers of released contents.

    ``earlier`` were audited by checks of an earlier release of the program. ``not_tested`` have a check that
    could not run.
    """

    contents: Count
    audited: Count
    earlier: Count
    audit_clean: Count
    strictly_clean: Count
    not_tested: Count
    engines: tuple[StatedText, ...]
    findings: tuple[FindingCases, ...]
    checks: tuple[CheckAsked, ...]


class StatedEstimate(_Stated):
    """An estimate as plain values."""

    value: float | None
    n: int
    reason: StatedText | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    method: StatedText | None = None
    few: StatedText = ""

    @classmethod
    def of(cls, estimate: Estimate) -> "StatedEstimate":
        """The plain values of an estimate."""
        ends = estimate.interval
        kept = (ends.low, ends.high, ends.level, ends.method) if ends else (None,) * 4
        names = ("low", "high", "level", "method")
        return cls(
            value=estimate.value,
            n=estimate.n,
            reason=estimate.reason,
            few=estimate.few,
            **dict(zip(names, kept, strict=True)),
        )

    @property
    def estimate(self) -> Estimate:
        """The estimate; an undefined one has a reason."""
        reason = (self.reason or "not stated") if self.value is None else None
        ends = None
        if self.low is not None and self.high is not None:
            ends = Interval(self.low, self.high, self.level or 0.0, self.method or "")
        return Estimate(self.value, self.n, reason, ends, few=self.few)


class QuestionFacts(_Stated):
    """One question of a study: its words, and the agreement and pass rates of its raters.

    ``kind`` says what answers it. ``weights`` are those between labels in order: kappa
    and AC1 are then weighted, and alpha is ordinal. A case passes only with the label of what is ``checked``.
    """

    title: StatedText
    prompt: StatedText
    labels: tuple[StatedText, ...]
    passing: tuple[StatedText, ...]
    items: Count
    labels_given: Count
    all_agree: StatedEstimate
    kappa: StatedEstimate
    alpha: StatedEstimate
    ac1: StatedEstimate
    majority: StatedEstimate
    unanimity: StatedEstimate
    kind: StatedText
    weights: StatedText = ""
    checked: tuple[StatedText, ...] = ()


class StudyFacts(_Stated):
    """A closed study with cases of the release. ``raters`` are those who gave labels.

    ``passed``, ``failed``, ``undecided`` and ``not_reviewed`` count its counted cases by their final labels.
    ``released`` are those that the release has with exactly this content. ``names`` is empty unless names are
    published. ``sample`` says how the cases were drawn. ``fewest`` and ``most`` count the raters of a case.
    """

    name: StatedText
    drawn: StatedText
    closed: StatedText
    cases: Count
    released: Count
    raters: Count
    adjudicators: Count
    labels: Count
    passed: Count
    failed: Count
    undecided: Count
    not_reviewed: Count
    questions: tuple[QuestionFacts, ...]
    names: tuple[StatedText, ...] = ()
    sample: StatedText = ""
    seed: int | None = None
    fewest: Count = 0
    most: Count = 0


class ChangeFacts(_Stated):
    """One revision: which version has it first, what was done, and by which person (by number)."""

    version: StatedText
    key: StatedText
    kind: StatedText
    date: StatedText
    proposed_by: StatedText
    person: StatedText
    resolves: tuple[StatedText, ...] = ()
    reason: StatedText | None = None


class SourceRelease(_Stated):
    """The release that the dataset was imported from."""

    name: StatedText
    version: StatedText
    seal: Digest


class ReleaseContent(_Stated):
    """Everything that the seal covers.

    ``cases`` holds the digest of each case by its key, ``decisions`` what an audit measured: by key, then
    by variant, the option that the program decides for. ``places`` counts the cases of the dataset, left
    out or not. ``right_options`` is empty where cases do not all have programs with the same two options.
    ``fields`` are the names of the values that were published with cases, ``texts`` those of the texts of a
    case, ``extras`` those of other fields that came with it. ``own_format`` names the benchmark's own
    format, if the release has its cases in that too. ``about`` says what a case is, and ``definitions``
    what a group is. ``declared`` is the digest of the declaration of the protocol, if it was declared in a
    file, and ``protocol`` then has its version. ``dataset_checks`` are the checks that read all cases
    together. ``program`` is the version of this program that made the release. ``files`` has the digest of
    each file of data and each page by its path (`sealed_files`). ``mixed`` are the columns of the rows whose
    values are of several types.
    """

    dataset: StatedText
    version: StatedText
    date: StatedText
    protocol: StatedText
    protocol_title: StatedText
    group_noun: StatedText
    citation: StatedCitation
    source: StatedText
    source_release: SourceRelease | None = None
    options: ReleaseOptions
    rows_digest: Digest
    cases: dict[StatedText, Digest]
    decisions: dict[StatedText, dict[StatedText, StatedText]]
    places: Count
    left_out: tuple[LeftOutCases, ...]
    withdrawn: tuple[StatedText, ...]
    groups: dict[StatedText, Count]
    generators: tuple[GeneratorCases, ...]
    right_options: tuple[RightOptionFacts, ...] = ()
    fields: tuple[StatedText, ...]
    texts: tuple[StatedText, ...]
    extras: tuple[StatedText, ...]
    generation: tuple[GenerationFacts, ...]
    audit: AuditFacts
    studies: tuple[StudyFacts, ...]
    open_studies: Count
    changes: tuple[ChangeFacts, ...]
    own_format: StatedText = ""
    about: StatedText = ""
    definitions: dict[StatedText, StatedText] = {}
    declared: StatedText = ""
    dataset_checks: tuple[DatasetCheckFacts, ...] = ()
    program: StatedText
    files: dict[StatedText, Digest] = {}
    mixed: tuple[StatedText, ...]

    @property
    def without_files(self) -> "ReleaseContent":
        """The content before files were made of it."""
        return self.model_copy(update={"files": {}})

    @property
    def seal(self) -> str:
        """The digest over all of it."""
        return digest_of(self.model_dump(mode="json"))

    @property
    def title(self) -> str:
        """Name and version."""
        return f"{self.dataset} {self.version}"


class ReleaseManifest(_Stated):
    """The whole of ``release.json``: the content and its seal."""

    format: Literal["dilemma-reviewer release 1.0"]
    seal: Digest
    content: ReleaseContent

    @property
    def written(self) -> bytes:
        """The content of the file."""
        value = self.model_dump(mode="json")
        return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def checked_version(version: str) -> str:
    """The version, if it is one; raises RequestError."""
    if len(version) > _LONGEST_VERSION or not _VERSION.fullmatch(version):
        raise RequestError(
            f"{one_line(version, 40)!r} is not a version; give numbers with dots, such as 1.1 or 2.0.3, with "
            "--version."
        )
    return version
