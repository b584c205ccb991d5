"""The statements of a release about itself: the content of ``release.json``, which its seal covers.

The pages of a release are made from this alone, so that a reader can make them again and compare.
"""

import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from reviewer.core.answer_kinds import ANSWER_KINDS
from reviewer.core.check_result import SEVERITIES
from reviewer.core.errors import RequestError
from reviewer.core.estimate import Estimate
from reviewer.core.kind_of_answer import KindOfAnswer
from reviewer.core.sanitize import agreeing, one_line
from reviewer.exchange.rows.row_files import json_text
from reviewer.protocols.intake import origin_of
from store.records import DatasetTopic, Digest, GivenBy, Origin, Release, digest_of

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


class Stated(BaseModel):
    """Frozen, validated, without unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    SINCE_1_0: ClassVar[frozenset[str]] = frozenset()
    """The fields that came after 1.0, left out where they say nothing, so that earlier seals hold."""

    @model_serializer(mode="wrap")
    def _with_what_is_known(self, serialise: SerializerFunctionWrapHandler) -> dict[str, Any]:
        held: dict[str, Any] = serialise(self)
        return {name: value for name, value in held.items() if value or name not in self.SINCE_1_0}


class ReleaseOptions(Stated):
    """The content of a release: cases that passed ``passed`` studies, ``without`` these findings, less the
    share to ``hold_out``, and whether names and words of people are published.
    """

    SINCE_1_0 = frozenset(("hold_out",))

    passed: tuple[StatedText, ...] = ()
    without: tuple[StatedText, ...] = ()
    with_withdrawn: bool = False
    names: bool = False
    reasons: bool = False
    hold_out: StatedText = ""


class StatedCitation(Stated):
    """Licence, authors and contact."""

    licence: StatedText
    authors: tuple[StatedText, ...]
    contact: StatedText


class LeftOutCases(Stated):
    """How many cases were left out for one reason; ``of`` is the check or the study."""

    why: Literal["withdrawn", "finding", "failed", "undecided", "not reviewed", "held out"]
    of: StatedText = ""
    cases: Count


class RightOptionFacts(Stated):
    """In how many cases an option is right, as the audit measured it: of the release, and of the dataset.

    Withdrawn cases of the dataset do not count. ``option`` is None for cases without a measured decision.
    """

    option: StatedText | None
    cases: Count
    of_dataset: Count


class GeneratorCases(Stated):
    """How many cases one generator wrote. Release 1.0 also called cases of our names ``generated``."""

    generator: StatedText
    origin: Origin
    cases: Count

    @property
    def written(self) -> Origin:
        """Who wrote the cases."""
        return origin_of(self.generator) if self.origin == "generated" else self.origin


class GenerationFacts(Stated):
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


class FindingCases(Stated):
    """How many cases have a finding of a check that nobody dismissed."""

    check: StatedText
    severity: StatedText
    cases: Count


class GuessFacts(Stated):
    """The value of a measure for baselines that answer without reading, by baseline.

    It is over the ``cases`` that the measure judges. No value: it judges none. ``best`` is the value of a
    model without the fault that is measured, if there is a single one.
    """

    measure: StatedText
    meaning: StatedText
    cases: Count
    values: dict[StatedText, float | None]
    best: float | None = None


class DatasetCheckFacts(Stated):
    """The result of a check of the dataset as a whole for the released cases, and whether it was dismissed.

    ``person`` and ``reason`` of a dismissal are given if the options say so.
    """

    check: StatedText
    result: StatedText
    says: StatedText
    person: StatedText | None = None
    reason: StatedText | None = None

    @property
    def stands(self) -> bool:
        """Whether the check failed and nobody dismissed its finding: its result is then a severity."""
        return self.result in SEVERITIES


class AuditFacts(Stated):
    """Results of the audit, in numbers of released contents.

    ``checks`` have a sentence that describes each. ``earlier`` were audited by checks of an earlier release
    of the program. ``not_tested`` have a check that could not run.
    """

    contents: Count
    audited: Count
    earlier: Count
    audit_clean: Count
    strictly_clean: Count
    not_tested: Count
    engines: tuple[StatedText, ...]
    findings: tuple[FindingCases, ...]
    checks: dict[StatedText, StatedText]


class AgreementFacts(Stated):
    """Agreement of answers that are more than one label: coefficients by their names, of one ``label`` or of
    all ("").
    """

    label: StatedText = ""
    coefficients: dict[StatedText, Estimate]


class QuestionFacts(Stated):
    """One question of a study: its words, and the agreement and pass rates of its raters.

    ``kind`` is the kind of its answers. Only rankings have ``kendall_w`` and ``tau_b``, and only answers that
    are more than one label also have ``agreement``, on all labels first and then on each. ``weights`` are
    those between labels in order: kappa and AC1 are then weighted, and alpha is ordinal. A case passes only
    with the label of each ``checked`` opinion.
    """

    SINCE_1_0 = frozenset(("kendall_w", "tau_b", "agreement"))

    title: StatedText
    prompt: StatedText
    labels: tuple[StatedText, ...]
    passing: tuple[StatedText, ...]
    items: Count
    labels_given: Count
    all_agree: Estimate
    kappa: Estimate
    alpha: Estimate
    ac1: Estimate
    majority: Estimate
    unanimity: Estimate
    kind: StatedText
    weights: StatedText = ""
    checked: tuple[StatedText, ...] = ()
    kendall_w: Estimate | None = None
    tau_b: Estimate | None = None
    agreement: tuple[AgreementFacts, ...] = ()

    @property
    def answer_kind(self) -> KindOfAnswer:
        """What is true of its answers; of a kind that this version does not know, what is true of labels."""
        return ANSWER_KINDS.get(self.kind, ANSWER_KINDS["label"])


class OpinionFacts(Stated):
    """How often a value that was published with cases agrees with the experts' final labels of a question."""

    opinion: StatedText
    question: StatedText
    agreement: Estimate


class HumanFacts(Stated):
    """How often raters gave the published answer to a question that asks for the answer itself."""

    published: StatedText
    question: StatedText
    raters: Count
    answers: Count
    share: Estimate


class StudyFacts(Stated):
    """A closed study with cases of the release. ``raters`` are those who gave labels.

    ``passed``, ``failed``, ``undecided`` and ``not_reviewed`` count its counted cases by their final labels.
    ``released`` are those that the release has with exactly this content. ``names`` is empty unless names are
    published. ``sample`` says how the cases were drawn. ``fewest`` and ``most`` count the raters of a case.
    ``open`` counts items that have labels and no final one. ``picked`` cases were chosen for findings or
    repairs, ``listed`` ones by a file. ``warned`` counts raters by the doubt that their
    answers raise. ``undescribed`` are the topics on which the study's lead wrote nothing. ``given`` says in
    which programs labels were given, and ``people`` what raters said of their field, degree and experience.
    ``withdrawn_labels`` of ``withdrawn_raters`` are in no number and no file, since consent was withdrawn.
    ``whole`` are the numbers of all cases where others leave out cases that are not published. Where cases
    had different probabilities of being drawn, ``weighted`` has the numbers of questions for all
    ``population`` cases that could be drawn. ``stopped`` has the claim for which the study could be stopped
    by looking, and then for each question the interval that holds although it was looked at. ``answered``
    counts the cases of a run that the study's cases answer, where several may answer the same one.
    """

    SINCE_1_0 = frozenset(
        (
            *("open", "picked", "warned", "undescribed", "opinions", "given", "people", "whole"),
            *("weighted", "population", "withdrawn_raters", "withdrawn_labels", "human", "stopped"),
            *("listed", "answered"),
        )
    )

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
    open: Count = 0
    picked: bool = False
    listed: bool = False
    warned: dict[Literal["speed", "gold", "training", "one label"], Count] = {}
    undescribed: tuple[StatedText, ...] = ()
    opinions: tuple[OpinionFacts, ...] = ()
    given: tuple[GivenBy, ...] = ()
    people: tuple[StatedText, ...] = ()
    weighted: tuple[QuestionFacts, ...] = ()
    population: Count = 0
    whole: "StudyFacts | None" = None
    withdrawn_raters: Count = 0
    withdrawn_labels: Count = 0
    human: tuple[HumanFacts, ...] = ()
    stopped: tuple[StatedText, ...] = ()
    answered: Count = 0

    @property
    def raters_of_a_case(self) -> str:
        """How many raters a case has."""
        some = f"{self.fewest:,}" if self.fewest == self.most else f"{self.fewest:,} to {self.most:,}"
        return f"{some} {agreeing(self.most, 'rater', 'raters')}"


class ChangeFacts(Stated):
    """One revision: which version has it first, what was done, and by which person (by number)."""

    version: StatedText
    key: StatedText
    kind: StatedText
    date: StatedText
    proposed_by: StatedText
    person: StatedText
    resolves: tuple[StatedText, ...] = ()
    reason: StatedText | None = None


class ReportFacts(Stated):
    """A reader's report about a case, the day of its import, and its state.

    ``version`` is the first one that was made after that, of an open report this one. ``date`` is the day of
    the report, ``since`` that of its state. Texts of people are given if the options say so.
    """

    SINCE_1_0 = frozenset(("since", "text", "link", "reason"))

    version: StatedText
    key: StatedText
    date: StatedText
    became: Literal["open", "dismissed", "repair", "withdrawal", "revert", "import", "settlement"]
    since: StatedText = ""
    text: StatedText = ""
    link: StatedText = ""
    reason: StatedText = ""


class SourceRelease(Stated):
    """The release that the dataset was imported from."""

    name: StatedText
    version: StatedText
    seal: Digest


class RowFacts(Stated):
    """What follows from the rows of a release alone, so that everybody can compute it again.

    ``cases`` holds the digest of each case by its key. ``fields`` are the names of the values that were
    published with cases, ``texts`` those of the texts of a case, ``extras`` those of other fields that came
    with it. ``mixed`` are the columns of the rows whose values are of several types.
    """

    rows_digest: Digest
    cases: dict[StatedText, Digest]
    groups: dict[StatedText, Count]
    generators: tuple[GeneratorCases, ...]
    fields: tuple[StatedText, ...]
    texts: tuple[StatedText, ...]
    extras: tuple[StatedText, ...]
    mixed: tuple[StatedText, ...]


PAGES = 13
"""How often this program has changed what it writes on the pages of a release since 1.0."""


class ReleaseContent(RowFacts):
    """Everything that the seal covers.

    ``decisions`` holds the audit's measurements: by key, then by variant, the option that the program decides
    for. ``places`` counts the cases of the dataset, left out or not. ``right_options`` is empty where cases
    do not all have programs with the same two options. ``own_format`` names the benchmark's own
    format, if the release has its cases in that too. ``about`` describes a case, and ``definitions``
    the groups. ``declared`` is the digest of the declaration of the protocol, if it was declared in a
    file, and ``protocol`` then has its version. ``described`` are texts of the authors. ``held_out`` are
    digests of cases that are not published. ``reports`` are those of readers, ``guessing`` has the
    scores of answers without reading on the measures of the benchmark. ``dataset_checks`` are
    the checks that read all cases together. ``program`` is the version of this program that made the
    release, and ``pages`` is its `PAGES`. ``files`` has the digest of each file of data and each page by its
    path (`sealed_files`).
    """

    SINCE_1_0 = frozenset(("pages", "described", "held_out", "reports", "guessing"))

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
    decisions: dict[StatedText, dict[StatedText, StatedText]]
    places: Count
    left_out: tuple[LeftOutCases, ...]
    withdrawn: tuple[StatedText, ...]
    right_options: tuple[RightOptionFacts, ...] = ()
    generation: tuple[GenerationFacts, ...]
    audit: AuditFacts
    studies: tuple[StudyFacts, ...]
    open_studies: Count
    changes: tuple[ChangeFacts, ...]
    own_format: StatedText = ""
    about: StatedText = ""
    definitions: dict[StatedText, StatedText] = {}
    declared: StatedText = ""
    described: dict[DatasetTopic, StatedText] = {}
    held_out: tuple[Digest, ...] = ()
    dataset_checks: tuple[DatasetCheckFacts, ...] = ()
    program: StatedText
    files: dict[StatedText, Digest] = {}
    pages: Count = 0
    reports: tuple[ReportFacts, ...] = ()
    guessing: tuple[GuessFacts, ...] = ()

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

    def record(self, dataset: str, origin: Literal["made", "imported"], at: str) -> Release:
        """What a store keeps of the release, as one of this dataset."""
        return Release(
            dataset=dataset,
            name=self.dataset,
            version=self.version,
            seal=self.seal,
            origin=origin,
            program=self.program,
            content=self.model_dump(mode="json"),
            at=at,
        )


class ReleaseManifest(Stated):
    """The whole of ``release.json``: the content and its seal."""

    format: Literal["dilemma-reviewer release 1.0"]
    seal: Digest
    content: ReleaseContent

    @property
    def written(self) -> bytes:
        """The content of the file."""
        return json_text(self.model_dump(mode="json"), indent=1).encode()


def checked_version(version: str) -> str:
    """The version, if it is one; raises RequestError."""
    if len(version) > _LONGEST_VERSION or not _VERSION.fullmatch(version):
        raise RequestError(
            f"{one_line(version, 40)!r} is not a version; give numbers with dots, such as 1.1 or 2.0.3, with "
            "--version."
        )
    return version
