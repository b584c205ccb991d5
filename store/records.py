"""The plain values that are kept. Tables derive from them, and they import nothing of ours."""

import hashlib
import json
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, StringConstraints, field_validator
from sqlalchemy import JSON, BigInteger, String
from sqlmodel import Field, SQLModel

JsonValue = Any
"""Whatever JSON can say; checked at the door, where it is made."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=64)]
Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Instant = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
"""A moment in UTC with milliseconds, as text: it sorts, and it reads back as it was written."""

EventKind = Literal["label", "undo", "skip", "comment", "flag", "note", "reason", "adjudication"]
Phase = Literal["before", "after"]
View = Literal["full", "paper"]
CaseRole = Literal["counted", "training", "gold"]
RaterRole = Literal["rater", "adjudicator"]
ActKind = Literal["close", "reopen", "admit"]
Occasion = Literal["new", "pack", "close", "report"]
"""When a study's events are counted and signed: as it is made, packed, closed and reported."""
DescriptionTopic = Literal["recruitment", "independence", "consent"]
"""What only a study's lead can say: how raters were found, whether they worked alone, consent."""
RunState = Literal["open", "finished"]
GivenBy = Literal["app", "plain", "browser", "pack", "spreadsheet"]
"""Where an event was given: the terminal app, plain mode, a browser window, a pack, a filled sheet."""


def canonical_json(value: JsonValue) -> str:
    """The one JSON text of a value: sorted keys, no blanks, characters as themselves, no NaN."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def digest_of(value: JsonValue) -> str:
    """SHA-256 of the canonical JSON, as 64 hex digits."""
    # Half a character, which a tampered file may hold, has a digest too.
    return hashlib.sha256(canonical_json(value).encode(errors="surrogatepass")).hexdigest()


class Record(SQLModel):
    """A kept value: frozen, validated, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")  # type: ignore[assignment]


class Dataset(Record):
    """A named collection of cases from one source."""

    name: Name = Field(primary_key=True)
    protocol: str
    source: str
    imported_at: Instant


class Case(Record):
    """One item under review. Its digest over protocol, group and payload is its identity, computed once."""

    digest: Digest = Field(primary_key=True)
    protocol: str
    group: str = Field(index=True)
    payload_version: int
    payload: dict[str, JsonValue] = Field(sa_type=JSON)

    @classmethod
    def of(cls, protocol: str, group: str, payload_version: int, payload: dict[str, JsonValue]) -> Self:
        """The case of a normalised payload."""
        identity = digest_of({"protocol": protocol, "group": group, "payload": payload})
        return cls(
            digest=identity, protocol=protocol, group=group, payload_version=payload_version, payload=payload
        )

    @property
    def is_whole(self) -> bool:
        """Whether the digest is that of the content."""
        identity = {"protocol": self.protocol, "group": self.group, "payload": self.payload}
        try:
            return self.digest == digest_of(identity)
        except ValueError:  # a number that is none, or half a character
            return False


class Membership(Record):
    """A case's place in a dataset. One case may be in many datasets; one place holds one case at a time."""

    dataset: Name = Field(primary_key=True, foreign_key="datasets.name")
    key: str = Field(primary_key=True)
    case: Digest = Field(foreign_key="cases.digest", index=True)
    position: int
    generator: str
    run: str | None = None
    origin: Literal["seed", "generated"] = Field(sa_type=String)
    extra: dict[str, JsonValue] = Field(default_factory=dict, sa_type=JSON)


class PublishedPlace(Membership):
    """A place with ``raw``, its piece of the imported file as JSON text; None where none was kept."""

    raw: str | None = None


class Measurement(Record):
    """What a machine measured on a case, or what was published with it at a place of a dataset.

    ``variant`` is "" where the value holds for the whole case. Published values name dataset and key;
    measured ones name engine (with version) and, where a program was run, its digest. What a run of
    generation measured on its way names both, with the run as its engine (earlier
    releases kept it as published).
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
        """Whether the case brought the value to its place: published there, or measured while it was made."""
        return self.source == "published" or self.dataset != ""

    def is_at(self, place: "Membership | StudyCase") -> bool:
        """Whether the case brought the value to this very place."""
        return self.came_with_place and (self.dataset, self.key) == (place.dataset, place.key)


class Finding(Record):
    """One check's result on one case, and the question it bears on (blinding needs that).

    Not ``tested``: the check could not look, ``why`` says what was missing, and it is neither passed nor
    failed whatever ``passed`` holds. ``places`` are the clauses or words that it is about: for each the
    variant, the part of its program, the line, and the characters from ``start`` to ``end`` in that part.
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
    """Somebody looked at what a check found on a case, and says why it is nothing.

    It holds for this version of the check: what a later one finds is looked at again.
    """

    case: Digest = Field(primary_key=True, foreign_key="cases.digest")
    check: str = Field(primary_key=True)
    check_version: int
    who: Name
    why: str
    at: Instant


class Embedding(Record):
    """The vector of a text under a model: float32, little endian; ``text`` is the SHA-256 of the text."""

    model: str = Field(primary_key=True)
    text: Digest = Field(primary_key=True)
    vector: bytes


class Study(Record):
    """A frozen sample of cases and questions, with its seed and what raters see."""

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

    ``role``: only ``counted`` cases enter agreement. ``training`` cases come before the study counts, with
    feedback; ``gold`` cases stand among the counted ones and have answers that are known to the lead.
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
    """What a study's lead decided about the study itself. Rows are only ever added.

    ``close`` and ``reopen`` say whether verdicts are taken; ``admit`` lets a rater of the study, the
    ``subject``, adjudicate in it. ``held`` are the ids of all events that the ledger held at closing: what
    comes to it afterwards is late. ``unfinished`` says how many verdicts who still owed then.
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
    """What a study's lead says about one topic for the report; only the newest wording is kept."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    topic: DescriptionTopic = Field(primary_key=True, sa_type=String)
    text: str = Field(max_length=4000)
    who: Name
    at: Instant


class KnownAnswer(Record):
    """The answer that a study's lead knows to be right about a training or gold case, and why."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    case: Digest = Field(primary_key=True, foreign_key="cases.digest")
    question: str = Field(primary_key=True)
    label: str
    why: str = ""


class Assignment(Record):
    """One rater in one study, with the seed of that rater's own order, and what the rater cared to tell.

    An ``adjudicator`` decides where raters disagree; adjudications are never counted in agreement.
    ``field``, ``degree`` and ``years`` (of experience) are never required.
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
    """A secret way into one study for one rater. Only the secret's digest (SHA-256) is kept."""

    secret_digest: Digest = Field(primary_key=True)
    study: Name
    rater: Name
    made_at: Instant
    expires_at: Instant
    revoked_at: Instant | None = None


class StudySecret(Record):
    """What a study's packs are sealed with. It is in the stores of the study's leads, and in no pack."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    secret: Digest


class PackSeal(Record):
    """What a pack says that it holds, signed with the study's secret; only packs have one."""

    study: Name = Field(primary_key=True, foreign_key="studies.name")
    rater: Name = Field(primary_key=True)
    manifest: dict[str, JsonValue] = Field(sa_type=JSON)
    signature: Digest


class Arrival(Record):
    """Events of one rater that came from another file or store: how many, from where, and when."""

    study: Name = Field(foreign_key="studies.name")
    rater: Name
    source: str
    events: int
    at: Instant


class KeptAside(Record):
    """An event of another file that is not in the ledger, and why.

    ``content`` is the whole event where it waits for its study's lead (its clock was ahead); None where a
    merge refused it, or it never came, and another event follows it or refers to it.
    """

    event: str = Field(primary_key=True)
    study: Name = Field(foreign_key="studies.name", index=True)
    rater: Name
    source: str
    why: str
    at: Instant
    content: dict[str, JsonValue] | None = Field(default=None, sa_type=JSON(none_as_null=True))


class SignedCount(Record):
    """What a study held when somebody vouched for it: counts and digests, signed with the study's secret.

    ``occasion`` is when it was signed. ``content`` says what was there, ``digest`` is the one digest over
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
    """A server's database user as one rater of one study, with the pack that this user works in."""

    db_user: Name = Field(primary_key=True)
    study: Name = Field(primary_key=True)
    rater: Name
    pack: bytes
    granted_at: Instant


SAID_LATER = ("swapped", "passage", "given", "panes", "follows")
"""Fields that events of earlier releases did not have: their digests hold as long as these say nothing."""


class Event(Record):
    """One row of the ledger. Rows are only ever added; what a row replaces, it names in ``supersedes``.

    ``case`` and ``question_digest`` say what was shown, byte for byte. ``target`` is the event that this
    one is about (the answer that an undo takes back). ``swapped`` says that the two sides of the case were
    shown exchanged; ``value`` never is. ``passage`` names the place in a pane that a comment is tied to.
    ``given`` says where the event was given and ``panes`` which panes of the case were visible then; None
    where that was not recorded. ``follows`` names the events of this rater in this study that were the newest
    ones where this event was made; None in events of releases that did not keep it.
    ``digest`` covers every other field.
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
    given: GivenBy | None = Field(default=None, sa_type=String)
    panes: list[str] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    follows: list[str] | None = Field(default=None, sa_type=JSON(none_as_null=True))
    digest: Digest

    @field_validator("passage", "panes")
    @classmethod
    def _is_text(cls, value: JsonValue) -> JsonValue:
        """A number that is none, and half a character, had no digest: no event ever held one."""
        if value is not None:
            canonical_json(value).encode()
        return value

    @classmethod
    def sealed(cls, **content: JsonValue) -> Self:
        """The event of this content, with its digest."""
        draft = cls.model_validate({**content, "digest": "0" * 64})
        return draft.model_copy(update={"digest": draft.content_digest()})

    @property
    def names(self) -> tuple[str, ...]:
        """Ids of the events that this one rests on: which it follows, replaces, or is about."""
        target = (self.target,) if self.target else ()
        return tuple(dict.fromkeys((*(self.follows or ()), *self.supersedes, *target)))

    def content_digest(self) -> str:
        """The digest that the content asks for; a stored event with another one was altered."""
        unsaid = {name for name in SAID_LATER if getattr(self, name) is None}
        return digest_of(self.model_dump(exclude={"digest", *unsaid}))


class Call(Record):
    """One attempt to have a model answer: what was sent, what came back, and what it cost.

    ``ask`` is the digest of the request and its repeat number; ``request`` is the body as sent. ``response``
    is the answer in a few plain fields, None where none came. ``error`` says why the attempt gave no whole
    answer; only rows without one answer the same request again. No row holds a key.
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


class Run(Record):
    """One run of generation, named as the dataset that it fills, with all that it can be repeated from.

    ``seeds`` names the cases (digests) of each group that examples are taken from, ``prompts`` holds the
    prompts as they stand in their files. ``rounds`` are those that are whole: what an interrupted round began
    is done again, with answers that are there. ``calls`` counts the requests of whole rounds, whether a model
    answered them or a row that was there.
    """

    name: Name = Field(primary_key=True)
    protocol: str
    model: str
    seed: int = Field(sa_type=BigInteger)
    settings: dict[str, JsonValue] = Field(sa_type=JSON)
    prompts: dict[str, str] = Field(sa_type=JSON)
    prompts_digest: Digest
    seeds: dict[str, list[str]] = Field(sa_type=JSON)
    state: RunState = Field(default="open", sa_type=String)
    why: str = ""
    rounds: int = 0
    calls: int = 0
    started_at: Instant
    ended_at: Instant | None = None


class RunLock(Record):
    """Who carries a run on: no other process may, until this one lets go, ends or is silent for too long.

    ``holder`` is random and tells holds apart; ``machine`` says where the number of the process means
    something, ``host`` says it to people. ``until`` is moved on while the process lives.
    """

    run: Name = Field(primary_key=True)
    holder: str
    machine: str
    host: str
    process: int
    since: Instant
    until: Instant


class Candidate(Record):
    """One case that a run tried, and its fate: approved, or discarded at a step by a check.

    ``expansion`` and ``place`` say where it came from: the group's request, from 0, and the place in the
    reply, from 1. ``payload`` and ``values`` are as far as it got, ``case`` is there where that is a case.
    ``calls`` are the rows of the calls that it took. ``counts_as`` is the filter of the published funnel.
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
