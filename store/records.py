"""The plain values that the store keeps. Tables derive from them. This module imports nothing of ours."""

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, StringConstraints, field_validator
from sqlalchemy import JSON, BigInteger, String
from sqlmodel import Field, SQLModel

JsonValue = Any
"""Any JSON value. It is checked where it is created."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Instant = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""A time in UTC with milliseconds, as text that sorts correctly and is never rounded."""

EventKind = Literal["label", "undo", "skip", "comment", "flag", "note", "reason", "adjudication"]
Phase = Literal["before", "after"]
View = Literal["full", "paper"]
CaseRole = Literal["counted", "training", "gold"]
RaterRole = Literal["rater", "adjudicator"]
ActKind = Literal[
    "close", "reopen", "admit", "lead", "exclude", "include", "answer", "withdraw", "coefficients", "third"
]
Occasion = Literal["new", "pack", "close", "report"]
"""When a study's events are counted and signed: when it is created, packed, closed or reported."""
DescriptionTopic = Literal["recruitment", "independence", "consent"]
"""Topics that only a study's lead knows: how raters were found, whether they worked alone, consent."""
DatasetTopic = Literal[
    "collection", "source", "biases", "limitations", "sensitive", "uses", "impact", "maintenance"
]
"""Topics on which only the authors of a dataset can say something."""
RevisionKind = Literal["repair", "withdrawal", "revert", "import", "settlement"]
Proposer = Literal["person", "rule", "model"]
"""Who proposed the content of a revision. A person decides on all of them."""
RunState = Literal["open", "finished"]
OutcomeState = Literal["read", "unreadable", "missing", "not_asked"]
"""What became of a question to a model: its reply was read into a label, or has none; no reply came; or the
protocol does not put the case under this condition."""
Origin = Literal["seed", "generated", "imported"]
"""Who wrote a case: people (whether or not it serves as a seed), a model, or nobody says."""
ReleaseOrigin = Literal["made", "imported"]
"""Whether a release was made in this store, or a dataset was imported from it."""
GivenBy = Literal["app", "plain", "browser", "pack", "spreadsheet", "import"]
"""How an event was given: in the app, plain mode, a browser, a pack, a filled sheet or another tool."""


_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


class JsonText(str):
    """A value that is canonical JSON text already, so that nobody encodes it again."""


def canonical_json(value: JsonValue) -> str:
    """The canonical JSON text of a value: sorted keys, no blanks, unescaped characters, no NaN."""
    return str(value) if type(value) is JsonText else _CANONICAL.encode(value)


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the canonical JSON, as 64 hex digits."""
    # A tampered file may hold half a character; it gets a digest too.
    return hashlib.sha256(canonical_json(value).encode(errors="surrogatepass")).hexdigest()


def digested_fields(record: "Record", without: Iterable[str] = ()) -> dict[str, JsonValue]:
    """A record's fields that differ from their defaults, so that new fields do not change digests."""
    return record.model_dump(mode="json", exclude_defaults=True, exclude=set(without))


def plain_json(value: JsonValue) -> JsonValue:
    """A copy in JSON's own types; raises TypeError or ValueError if it is not JSON."""
    return json.loads(canonical_json(value))


class Record(SQLModel):
    """A stored value: frozen, validated, without unknown fields."""

    # Most commands use few of the records and no table's: what checks them is built at its first use.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # type: ignore[assignment]


class Dataset(Record):
    """A named collection of cases from one source."""

    name: Name = Field(primary_key=True)
    protocol: str
    source: str
    imported_at: Instant


class Case(Record):
    """One item under review. Its identity is the digest over protocol, group and payload, computed once."""

    digest: Digest = Field(primary_key=True)
    protocol: str
    group: str = Field(index=True)
    payload_version: int
    payload: dict[str, JsonValue] = Field(sa_type=JSON)

    @classmethod
    def of(cls, protocol: str, group: str, payload_version: int, payload: dict[str, JsonValue]) -> Self:
        """The case with a normalised payload."""
        identity = digest_of({"protocol": protocol, "group": group, "payload": payload})
        return cls(
            digest=identity, protocol=protocol, group=group, payload_version=payload_version, payload=payload
        )

    @property
    def is_whole(self) -> bool:
        """Whether the digest matches the content."""
        identity = {"protocol": self.protocol, "group": self.group, "payload": self.payload}
        try:
            return self.digest == digest_of(identity)
        except ValueError:  # NaN or half a character
            return False


class Membership(Record):
    """A case's place in a dataset. One case may be in many datasets; one place holds one case at a time."""

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    key: str = Field(primary_key=True)
    case: Digest = Field(foreign_key="cases.digest", index=True)
    position: int
    generator: str
    run: str | None = None
    origin: Origin = Field(sa_type=String)
    extra: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)


class PublishedPlace(Membership):
    """A place with ``raw``, its record of the imported file as JSON text; None if it was not stored."""

    raw: str | None = None


class Measurement(Record):
    """A value that a machine measured on a case, or that was published with it at a place of a dataset.

    ``variant`` is "" if the value holds for the whole case. Published values name dataset and key. Measured
    values name the engine (with version) and, if a program was run, its digest. Values that a generation run
    measured name both, with the run as their engine.
    """

    case: Digest = Field(foreign_key="cases.digest")
    name: str
    variant: str = ""
    source: Literal["published", "measured"] = Field(sa_type=String)
    dataset: str = ""
    key: str = ""
    engine: str = ""
    program: str = ""
    value: JsonValue = Field(sa_type=JSON)

    @property
    def came_with_place(self) -> bool:
        """Whether the value came with the case: published at its place, or measured during generation."""
        return self.source == "published" or self.dataset != ""

    def is_at(self, place: "Membership | StudyCase") -> bool:
        """Whether the value came with the case at this place."""
        return self.came_with_place and (self.dataset, self.key) == (place.dataset, place.key)


class Finding(Record):
    """One check's result on one case, and the question that it is about (blinding needs that).

    Not ``tested``: the check could not run, ``why`` names the missing part, and ``passed`` has no meaning.
    ``places`` are the clauses or words that it is about: for each the variant, the part of its program, the
    line, and the characters from ``start`` to ``end`` in that part.
    """

    case: Digest = Field(foreign_key="cases.digest")
    check: str
    check_version: int
    passed: bool
    severity: Literal["serious", "doubtful", "untidy"] = Field(sa_type=String)
    value: JsonValue = Field(default=None, sa_type=JSON)
    threshold: JsonValue = Field(default=None, sa_type=JSON)
    why: str
    question: str | None = None
    tested: bool = True
    places: list[dict[str, JsonValue]] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class Dismissal(Record):
    """Somebody dismissed a check's finding on a case, with the reason.

    A dismissal holds for this version of the check. A finding of a later version must be looked at again;
    the earlier dismissal is kept beside it. Without a reason, somebody restored the finding: the row stays,
    so that an older dismissal does not come back from another store.
    """

    case: Digest = Field(primary_key=True, foreign_key="cases.digest")
    check: str = Field(primary_key=True)
    check_version: int = Field(primary_key=True)
    who: Name
    why: str
    at: Instant

    @property
    def restored(self) -> bool:
        """Whether the finding stands again."""
        return not self.why


class DatasetDismissal(Record):
    """Somebody dismissed a check's finding about a whole dataset with the reason, or restored it.

    Rows are only appended, and the newest one of a check counts. A dismissal holds for this version of the
    check and for the same result: ``found`` is a digest of that. Another finding must be looked at again.
    """

    id: str = Field(primary_key=True)
    dataset: Name = Field(foreign_key="datasets.name", index=True)
    check: str
    check_version: int
    found: Digest
    restored: bool
    who: Name
    why: str
    at: Instant


class ReplacedFields(Record):
    """The fields of a place that came with the content that a revision replaced."""

    generator: str
    run: str | None = None
    origin: Origin
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    raw: str | None = None


class Revision(Record):
    """New content at a case's place, or its withdrawal. Rows are only ever added.

    ``parent`` is the digest of the revision that this one follows, or of the case that the place held before
    its first revision. ``settles`` are the digests of other newest revisions that this one replaces.
    ``case_after`` is None for a withdrawal. ``resolves`` names findings by check and program. ``before`` and
    ``after`` are what was measured on the two contents. ``replaced`` holds ``ReplacedFields``, so that a
    revert can bring them back. ``digest`` covers every other field.
    """

    id: str = Field(primary_key=True)
    dataset: Name = Field(foreign_key="datasets.name", index=True)
    key: str
    parent: Digest
    settles: list[str] = Field(default_factory=list, sa_type=JSON)
    case_before: Digest = Field(foreign_key="cases.digest")
    case_after: Digest | None = Field(default=None, foreign_key="cases.digest")
    kind: RevisionKind = Field(sa_type=String)
    author: Name
    reason: str
    resolves: list[dict[str, JsonValue]] = Field(default_factory=list, sa_type=JSON)
    proposed_by: Proposer = Field(default="person", sa_type=String)
    before: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)
    after: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)
    replaced: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)
    created: Instant
    digest: Digest

    @classmethod
    def sealed(cls, **content: JsonValue) -> Self:
        """The revision with this content and its digest."""
        draft = cls.model_validate({**content, "digest": "0" * 64})
        return draft.model_copy(update={"digest": draft.content_digest()})

    def content_digest(self) -> str:
        """The digest of the content. A stored revision with another digest was altered."""
        return digest_of(self.model_dump(exclude={"digest"}))


class Todo(Record):
    """A note that something has to be done about the case at a place, and who should do it.

    ``done_by`` and ``done_at`` are None until somebody did it.
    """

    id: str = Field(primary_key=True)
    dataset: Name = Field(foreign_key="datasets.name", index=True)
    key: str
    note: str
    name: Name
    made_by: Name
    made_at: Instant
    done_by: Name | None = None
    done_at: Instant | None = None


class Complaint(Record):
    """What a reader of a dataset reported about the case at a place. Rows are only ever added.

    ``case`` is the content that the place had when somebody (``who``) imported the report. ``link`` is an
    address where the reader wrote it, "" if none is known.
    """

    id: str = Field(primary_key=True)
    dataset: Name = Field(foreign_key="datasets.name", index=True)
    key: str
    case: Digest = Field(foreign_key="cases.digest")
    text: str
    link: str = ""
    who: Name
    at: Instant


class Citation(Record):
    """How others may use and cite a dataset: its licence, its authors, and whom to ask."""

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    licence: str
    authors: list[str] = Field(sa_type=JSON)
    contact: str


class DatasetDescription(Record):
    """The authors' text about one topic for releases of a dataset. Only the newest text is kept."""

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    topic: DatasetTopic = Field(primary_key=True, sa_type=String)
    text: str = Field(max_length=4000)
    who: Name
    at: Instant


class Release(Record):
    """A sealed version of a dataset, as it was published.

    ``dataset`` is its name in this store, and ``name`` the one in the release. ``content`` is everything that
    the ``seal`` covers, with the digest of each case. ``program`` is the version that made it, and ``at`` the
    time of the first making or of the import.
    """

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    name: Name = Field(primary_key=True)
    version: str = Field(primary_key=True)
    seal: Digest
    origin: ReleaseOrigin = Field(sa_type=String)
    program: str
    content: dict[str, JsonValue] = Field(sa_type=JSON)
    at: Instant


class KeptDeclaration(Record):
    """The text of a declared protocol under its name and version. ``digest`` is that of the text."""

    name: str = Field(primary_key=True)
    version: int = Field(primary_key=True)
    digest: Digest
    text: str
    kept_at: Instant

    @property
    def reference(self) -> str:
        """Name and version, as datasets and studies name their protocol."""
        return f"{self.name}@{self.version}"

    @property
    def is_whole(self) -> bool:
        """Whether the digest matches the text."""
        return self.digest == digest_of(self.text)


class GroupDefinition(Record):
    """The definition of a group that came with a dataset."""

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    group: str = Field(primary_key=True)
    definition: str


class Embedding(Record):
    """The vector of a text under a model: float32, little endian; ``text`` is the SHA-256 of the text."""

    model: str = Field(primary_key=True)
    text: Digest = Field(primary_key=True)
    vector: bytes


class Study(Record):
    """A frozen sample of cases and questions, with its seed and its view for raters."""

    name: Name = Field(primary_key=True)
    protocol: str
    seed: int = Field(sa_type=BigInteger)
    view: View = Field(sa_type=String)
    design: dict[str, JsonValue] = Field(sa_type=JSON)
    questions: list[dict[str, JsonValue]] = Field(sa_type=JSON)
    created_at: Instant
    closed_at: Instant | None = None


class StudyCase(Record):
    """One case of a study's sample, with the place that it was drawn from, frozen.

    ``role``: only ``counted`` cases enter agreement. ``training`` cases come first, with feedback. ``gold``
    cases are mixed with the counted ones, and the lead knows their answers.
    """

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    case: Digest = Field(primary_key=True, foreign_key="cases.digest")
    position: int
    dataset: str
    key: str
    group: str
    generator: str
    role: CaseRole = Field(default="counted", sa_type=String)


class StudyAct(Record):
    """An act of a study's lead on the study itself. Rows are only ever added.

    ``close`` and ``reopen`` decide whether verdicts are taken. ``admit`` allows a rater of the study, the
    ``subject``, to adjudicate in it. ``lead`` names the ``subject`` as a lead of the study.
    ``exclude`` leaves the answers of the ``subject`` out of all numbers, and ``include`` counts them again.
    ``withdraw`` leaves them out for good, and their labels out of every later release.
    ``answer`` answers the remark of a rater whose event is the ``subject``; without words it is dealt with.
    ``coefficients`` names in ``why``, by keys with commas, the coefficients that tables begin with.
    ``held`` are the ids of all events that the ledger held at closing; later events are late. ``unfinished``
    is the number of missing verdicts of each rater at closing. ``third`` asks the ``subject`` about more
    cases, for third votes: ``held`` are the digests of these in their order, and ``unfinished`` is the number
    of verdicts that they are.
    """

    id: str = Field(primary_key=True)
    study: Name = Field(foreign_key="studies.name", index=True)
    kind: ActKind = Field(sa_type=String)
    who: Name
    why: str = ""
    subject: Name | None = None
    unfinished: dict[str, int] = Field(default_factory=dict, sa_type=JSON)
    held: list[str] = Field(default_factory=list, sa_type=JSON)
    at: Instant


class StudyDescription(Record):
    """The lead's text about one topic for the report. Only the newest text is kept."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    topic: DescriptionTopic = Field(primary_key=True, sa_type=String)
    text: str = Field(max_length=4000)
    who: Name
    at: Instant


class KnownAnswer(Record):
    """The right answer to a question about a training or gold case, as the lead knows it, and why."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    case: Digest = Field(primary_key=True, foreign_key="cases.digest")
    question: str = Field(primary_key=True)
    label: str
    why: str = ""


class Assignment(Record):
    """One rater in one study, with the seed of their order of cases, and their profile.

    An ``adjudicator`` decides disputed items. Adjudications never count in agreement. ``field``, ``degree``
    and ``years`` (of experience) are optional.
    """

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    rater: Name = Field(primary_key=True)
    order_seed: int = Field(sa_type=BigInteger)
    joined_at: Instant
    field: str | None = Field(default=None, max_length=200)
    degree: str | None = Field(default=None, max_length=200)
    years: int | None = Field(default=None, ge=0, le=100)
    role: RaterRole = Field(default="rater", sa_type=String)


class Link(Record):
    """A secret link to one study for one rater. Only the secret's digest (SHA-256) is stored."""

    secret_digest: Digest = Field(primary_key=True)
    study: Name
    rater: Name
    made_at: Instant
    expires_at: Instant
    revoked_at: Instant | None = None


class StudySecret(Record):
    """The secret that seals a study's packs. It is in the lead's stores and never in a pack."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    secret: Digest


class PackSeal(Record):
    """The manifest of a pack, signed with the study's secret. Only packs have one."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    rater: Name = Field(primary_key=True)
    manifest: dict[str, JsonValue] = Field(sa_type=JSON)
    signature: Digest


class Arrival(Record):
    """An import of one rater's events from another file or store: how many, from where, and when."""

    study: Name = Field(foreign_key="studies.name")
    rater: Name
    source: str
    events: int
    at: Instant


class KeptAside(Record):
    """An event of another file that is not in the ledger, and why.

    ``content`` is the whole event if it waits for the study's lead (its clock was ahead). It is None if a
    merge refused the event or the file lacked it, and another event follows it or refers to it.
    """

    event: str = Field(primary_key=True)
    study: Name = Field(foreign_key="studies.name", index=True)
    rater: Name
    source: str
    why: str
    at: Instant
    content: dict[str, JsonValue] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class SignedCount(Record):
    """What a study held on one occasion: counts and digests, signed with the study's secret.

    ``occasion`` is why it was signed. ``content`` lists what the study held. ``digest`` is the digest over
    that, which reports print. Rows are only ever added.
    """

    id: str = Field(primary_key=True)
    study: Name = Field(foreign_key="studies.name", index=True)
    occasion: Occasion = Field(sa_type=String)
    at: Instant
    digest: Digest
    content: dict[str, JsonValue] = Field(sa_type=JSON)
    signature: Digest


class RaterSeat(Record):
    """A server's database user who is one rater of one study, with the pack that this user works in.

    ``cases`` are the digests of the cases in the pack.
    """

    db_user: Name = Field(primary_key=True)
    study: Name = Field(primary_key=True)
    rater: Name
    pack: bytes
    cases: list[Digest] = Field(sa_type=JSON)
    granted_at: Instant


class Event(Record):
    """One row of the ledger. Rows are only ever added. ``supersedes`` names the events that a row replaces.

    ``case`` and ``question_digest`` identify exactly what was shown. ``target`` is the event that this one is
    about (such as the answer that an undo takes back). ``swapped``: the two sides of the case were shown
    exchanged; ``value`` is stored as if they were not. ``passage`` is the part of a pane that a comment is
    about. ``given`` is how the event was given, and ``panes`` the panes of the case that were visible; None
    if not recorded. ``follows`` names the rater's newest events in this study when this event was made.
    ``digest`` covers every other field that is not None, so that a field can be added to later events.
    """

    id: str = Field(primary_key=True)
    study: Name = Field(foreign_key="studies.name")
    rater: Name
    case: Digest
    question: str
    question_digest: Digest
    showing: int = 0
    phase: Phase = Field(default="before", sa_type=String)
    kind: EventKind = Field(sa_type=String)
    value: str | None = None
    target: str | None = None
    supersedes: list[str] = Field(default_factory=list, sa_type=JSON)
    at: Instant
    active_ms: int | None = Field(default=None, ge=0)
    swapped: bool | None = None
    passage: dict[str, JsonValue] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    given: GivenBy = Field(sa_type=String)
    panes: list[str] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    follows: list[str] = Field(default_factory=list, sa_type=JSON)
    digest: Digest

    @field_validator("passage", "panes")
    @classmethod
    def _is_text(cls, value: JsonValue) -> JsonValue:
        """Refuse NaN and half characters: they have no digest, so no event ever held one."""
        if value is not None:
            canonical_json(value).encode()
        return value

    @classmethod
    def sealed(cls, **content: JsonValue) -> Self:
        """The event with this content and its digest."""
        draft = cls.model_validate({**content, "digest": "0" * 64})
        return draft.model_copy(update={"digest": draft.content_digest()})

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the events that this one refers to: which it follows, replaces or is about."""
        target = (self.target,) if self.target else ()
        return tuple(dict.fromkeys((*self.follows, *self.supersedes, *target)))

    def content_digest(self) -> str:
        """The digest of the content. A stored event with another digest was altered."""
        # All fields are plain JSON; a dump of the model takes three times as long.
        return digest_of({name: value for name, value in self if name != "digest" and value is not None})


class Call(Record):
    """One call to a model: the request, the response and the cost.

    ``ask`` is the digest of the request and its repeat number. ``request`` is the body as sent. ``response``
    is the answer in a few plain fields, None if there was none. ``error`` says why there is no whole answer;
    only rows without an error are used again for the same request. No row holds an API key.
    """

    id: str = Field(primary_key=True)
    ask: Digest
    endpoint: str
    model: str
    purpose: str
    repeat: int
    attempt: int
    request: dict[str, JsonValue] = Field(sa_type=JSON)
    response: dict[str, JsonValue] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    status: int | None = None
    prompt_tokens: int | None = Field(default=None, ge=0, sa_type=BigInteger)
    completion_tokens: int | None = Field(default=None, ge=0, sa_type=BigInteger)
    cost: float | None = None
    seconds: float
    error: str | None = None
    at: Instant


COMMANDS_OF_RUNS = ("generate", "discover", "evaluate")
"""The procedures that a command of the program is named after."""
EVALUATE, JUDGES, REPAIR = "evaluate", "judges", "repair"
"""The procedures whose runs keep outcomes: of models that are measured, of judges of a study, and of models
that propose repairs."""


class RunColumns(Record):
    """Everything that is kept of a run in its own row. What it made is in tables of its own.

    ``seeds`` holds the digests of the cases that it starts from, by group or part, and ``material``
    where they come from. ``prompts`` holds the texts of the prompt files. ``rounds`` counts complete rounds;
    an interrupted round is repeated with the stored answers. ``left`` is the state that the last one left.
    ``calls`` counts the requests of complete rounds, whether a model or a stored row answered them; ``cost``
    is their cost without the ``unpriced`` ones. An evaluation has these of its outcomes instead.
    """

    name: Name = Field(primary_key=True)
    procedure: str
    protocol: str
    seed: int = Field(default=0, sa_type=BigInteger)
    settings: dict[str, JsonValue] = Field(sa_type=JSON)
    prompts: dict[str, str] = Field(default_factory=dict, sa_type=JSON)
    seeds: dict[str, list[str]] = Field(default_factory=dict, sa_type=JSON)
    material: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)
    state: RunState = Field(default="open", sa_type=String)
    why: str = ""
    rounds: int = 0
    left: JsonValue = Field(default=None, sa_type=JSON)
    calls: int = 0
    cost: float = 0.0
    unpriced: int = 0
    started_at: Instant
    created_by: str = ""
    ended_at: Instant | None = None


class Run(RunColumns):
    """One run that asks models, with everything needed to repeat it.

    ``roles`` names the first model of each role. An evaluation may have more of them.
    """

    roles: dict[str, str] = Field(default_factory=dict)

    @property
    def model(self) -> str:
        """The model of the first role."""
        return next(iter(self.roles.values()), "")

    @property
    def engine(self) -> str:
        """The engine of values that the run measured."""
        return f"run {self.name}"

    @property
    def prompts_digest(self) -> str:
        """SHA-256 over all prompts."""
        return digest_of(self.prompts)

    @property
    def command(self) -> str:
        """The command that resumes the run."""
        return f"reviewer {self.kind} {self.name}"

    @property
    def kind(self) -> str:
        """What the run does, as commands are called."""
        if self.procedure == JUDGES:
            return f"judges ask {self.judged_study} --run"
        if self.procedure == REPAIR:
            return f"repair {self.material['dataset']} --propose --run"
        return self.procedure if self.has_command else f"run {self.protocol} {self.procedure}"

    @property
    def judged_study(self) -> str:
        """The study whose questions its judges answer; "" for any other run."""
        return str(self.material.get("study", "")) if self.procedure == JUDGES else ""

    @property
    def machine_rater(self) -> str:
        """The model that is the machine rater of the judged study; "" if none is."""
        return str(self.material.get("machine_rater", "")) if self.procedure == JUDGES else ""

    @property
    def keeps_outcomes(self) -> bool:
        """Whether its products are outcomes."""
        return self.procedure in (EVALUATE, JUDGES, REPAIR)

    @property
    def has_command(self) -> bool:
        """Whether a command is named as its procedure."""
        return self.procedure in COMMANDS_OF_RUNS


class Candidate(Record):
    """One case that a run tried, and its fate: approved, or discarded at a step by a check.

    ``expansion`` is the number of the group's request, from 0, and ``place`` the position in the reply, from
    1. ``payload`` and ``values`` hold what was made before the end; ``case`` is set if that is a whole case.
    ``calls`` are the ids of its calls. ``counts_as`` is the corresponding filter of the published funnel.
    """

    run: Name = Field(primary_key=True, foreign_key="runs.name")
    number: int = Field(primary_key=True)
    group: str
    expansion: int
    place: int
    key: str
    approved: bool
    step: str
    check: str
    counts_as: str = ""
    value: JsonValue = Field(default=None, sa_type=JSON)
    threshold: JsonValue = Field(default=None, sa_type=JSON)
    why: str = ""
    payload: dict[str, JsonValue] = Field(sa_type=JSON)
    values: dict[str, JsonValue] = Field(sa_type=JSON)
    calls: list[str] = Field(sa_type=JSON)
    prompts_digest: Digest
    case: Digest | None = Field(default=None, foreign_key="cases.digest")


class RunRole(Record):
    """A model that answers a role of a run, in the order of ``place``. Models may be added to an evaluation.

    ``endpoint`` is the address of its server; "" if the run does not keep it, or its answers were imported.
    """

    run: Name = Field(primary_key=True, foreign_key="runs.name")
    role: str = Field(primary_key=True)
    model: str = Field(primary_key=True)
    place: int
    endpoint: str = ""
    added_at: Instant


class Lease(Record):
    """The lease of a process on a run, until the process leaves, ends, or does not renew it in time.

    ``holder`` is random and identifies the lease. Nobody else may work on the run if it has it ``alone``.
    ``until`` is the end, in milliseconds since 1970 by the clock of the store's machine. ``machine`` is the
    scope of the process number, ``host`` its name for people. ``command`` resumes the run. Of a shared run,
    ``models`` are those that the process still asks at ``endpoint``, with its limits.
    """

    holder: str = Field(primary_key=True)
    run: Name
    command: str
    alone: bool
    machine: str
    host: str
    process: int
    since: Instant
    until: int = Field(sa_type=BigInteger)
    models: list[str] = Field(default_factory=list, sa_type=JSON)
    endpoint: str = ""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None


class RunChunk(Record):
    """Questions to one model that one process takes together: some places of the sample in one repeat.

    ``first`` is the first of ``places`` places; all conditions belong to the chunk. ``holder`` is the lease
    under which it was taken last, "" if nobody did.
    """

    run: Name = Field(primary_key=True)
    number: int = Field(primary_key=True)
    model: str
    repeat: int
    first: int
    places: int
    holder: str = ""
    done: bool = False


class EndpointUse(Record):
    """What all processes may have sent to an endpoint: second (since 1970) → requests and tokens."""

    endpoint: str = Field(primary_key=True)
    seconds: dict[str, list[int]] = Field(sa_type=JSON)


class SampledCase(Record):
    """One case of a run's sample, with the place that it was drawn from, frozen.

    ``place`` counts from 0; outcomes name the case by it.
    """

    run: Name = Field(primary_key=True, foreign_key="runs.name")
    place: int = Field(primary_key=True)
    dataset: str
    key: str
    digest: Digest = Field(foreign_key="cases.digest", index=True)
    generator: str


class Outcome(Record):
    """One model's answer to one case under one condition, with how it was read.

    ``case`` is the place of the case in the sample, ``condition`` the key of the condition, ``repeat`` counts
    from 0. ``label`` is None unless the reply was read; ``why`` then says why, and else holds what the reader
    remarks. ``reader_version`` is the version of the reader that read the reply. ``request`` is the digest of
    the request, or both digests with a blank between them if the model was asked twice; "" if imported.
    """

    run: Name = Field(primary_key=True, foreign_key="runs.name")
    model: str = Field(primary_key=True)
    case: int = Field(primary_key=True)
    condition: str = Field(primary_key=True)
    repeat: int = Field(primary_key=True)
    state: OutcomeState = Field(sa_type=String)
    label: str | None = None
    reader_version: int
    request: str
    why: str = ""
    reply: str = ""
