"""Answers of models in the logs of evaluation harnesses: inspect_ai, lm-evaluation-harness, OpenAI's batches.

Each log becomes rows with the id of a sample, the repeat, the model and the whole reply, which the protocol
reads as it reads the replies of a run. A sample's id is the key of its case, followed by the condition where
the protocol has several: ``KEY @ CONDITION``.

The packed logs of inspect_ai (``.eval``) are ZIPs of JSON files. Newer versions compress them by zstd. Python
unpacks zstd from 3.14 on. Before that pyarrow does, which the extra ``parquet`` brings.
"""

import struct
import zipfile
import zlib
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO, Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.core.strict_json import fault_in, parse
from reviewer.exchange.rows.row_files import RowOptions, check_is_text, open_rows
from reviewer.exchange.rows.source_file import most_unpacked, read_text, shown_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition, EvaluationPlan, conditions_of
from reviewer.protocols.formats import SourceRow, SourceRows
from reviewer.protocols.intake import CORRECT
from reviewer.protocols.outcome_files import FiledOutcome, FiledRow, OutcomeFiles, RowCells
from store.records import Case, JsonValue

COLUMNS: Final = ("id", "repeat", "model", "reply")
_BEFORE_CONDITION: Final = " @ "
_MOST_NAMED: Final = 6
_INSPECT_VERSION: Final = 2
_SAME_IN_FILTERS: Final = ("doc_id", "doc", "resps")
_IDS: Final = ("id", "key", "sample_id")
_TO_BE_READ: Final = "not read yet"
_Made = Mapping[str, JsonValue] | InputError
"""The row of a reply, or why there is none."""


def sample_id(key: str, condition: Condition, count: int) -> str:
    """The id of a sample: the key of its case, and the condition if the protocol has several."""
    return key if count == 1 else f"{key}{_BEFORE_CONDITION}{condition.key}"


class SampleOutcomes(OutcomeFiles):
    """A log of a harness: each row has one reply of one model to one sample."""

    name = "samples of a harness"
    columns = COLUMNS

    def __init__(self, protocol: Protocol) -> None:
        super().__init__(protocol)
        self._plan = protocol.procedure(EvaluationPlan)
        factors = self._plan.factors
        every = conditions_of(factors, {factor.name: factor.values for factor in factors})
        self._conditions = {condition.key: condition for condition in every}

    def texts_of(self, case: Case) -> Hashable:
        """Nothing: samples name the key."""
        return ()

    def read(self, row: RowCells, where: str) -> FiledRow:
        """The reply of a row; raises InputError."""
        key, condition = self._asked(str(row["id"]), where)
        repeat, reply = row["repeat"], row["reply"]
        assert isinstance(repeat, int)
        outcome = FiledOutcome(None, str(reply), _TO_BE_READ)
        return FiledRow((), repeat, {condition: outcome}, key=key, model=str(row["model"] or ""))

    def settled(self, case: Case, condition: Condition, outcome: FiledOutcome, where: str) -> FiledOutcome:
        """The label that the protocol reads in the reply."""
        read = self._plan.read(case, condition, outcome.reply)
        return FiledOutcome(read.label, outcome.reply, read.why)

    def _asked(self, name: str, where: str) -> tuple[str, Condition]:
        """The key of the case and the condition in a sample's id; raises InputError."""
        key, sign, said = name.rpartition(_BEFORE_CONDITION)
        if sign and said in self._conditions:
            return key, self._conditions[said]
        if len(self._conditions) == 1:
            return name, next(iter(self._conditions.values()))
        known = [*self._conditions][:_MOST_NAMED]
        wrong = f"has the id {shown(name)!r}, which does not say under which condition it was asked"
        more = ", …" if len(self._conditions) > _MOST_NAMED else ""
        remedy = f"name samples KEY{_BEFORE_CONDITION}CONDITION, with one of {', '.join(known)}{more}"
        raise InputError(where, wrong, remedy)


# -- inspect_ai ------------------------------------------------------------------------------------


def _inspect_rows(path: Path) -> SourceRows:
    """The samples of a log of inspect_ai; raises InputError for one that is not whole."""
    where = shown_path(path)
    log = _inspect_log(path, where)
    samples = log.get("samples")
    if not isinstance(samples, list) or not samples:
        raise InputError(where, "has no samples", "run `inspect eval` without --no-log-samples")
    answered = [sample for sample in samples if isinstance(sample, dict) and not sample.get("error")]
    notices = []
    if left := len(samples) - len(answered):
        notices.append(f"{counted(left, 'sample')} of {len(samples):,} ended with an error and {_LEFT_OUT}")
    if log["status"] != "success":
        notices.append(f"the run of inspect_ai ended with status {shown(str(log['status']))}")
    model = str(log["eval"].get("model") or "")

    def read() -> Iterator[SourceRow]:
        for number, sample in enumerate(answered, 1):
            at = f"{where}, sample {number}"
            yield SourceRow(number, at, _of_inspect(sample, model, at))

    return SourceRows(where, COLUMNS, True, notices, read)


def _inspect_log(path: Path, where: str) -> dict[str, Any]:
    """A log of the version that is read, of a run that has ended; raises InputError."""
    with path.open("rb") as file:
        packed = file.read(len(PACKED_MARK)) == PACKED_MARK
    if packed:
        log = packed_log(path, where)
    else:
        check_is_text(path, where)
        log = parse(read_text(path, where), where)
    if not isinstance(log, dict) or not isinstance(log.get("eval"), dict) or "status" not in log:
        raise InputError(
            where, "is not a log of inspect_ai", "give the log that `inspect eval` wrote, as JSON"
        )
    if log.get("version") != _INSPECT_VERSION:
        wrong = f"is a log of version {shown(str(log.get('version')))}; version {_INSPECT_VERSION} is read"
        raise InputError(where, wrong, AS_JSON)
    if log["status"] == "started":
        raise InputError(where, "is half written (status started)", "wait until `inspect eval` has ended")
    return log


_AS_WRITTEN: Final = "give the log as inspect_ai wrote it"
_ATTACHED: Final = "attachment://"
_LEFT_OUT = "has no answer; such answers are missing"


def _of_inspect(sample: Mapping[str, Any], model: str, where: str) -> _Made:
    epoch, output = sample.get("epoch", 1), sample.get("output")
    reply = output.get("completion") if isinstance(output, dict) else None
    if not isinstance(epoch, int) or epoch < 1 or not isinstance(reply, str):
        return InputError(where, "has no epoch from 1 or no output of a model", _AS_WRITTEN)
    if reply.startswith(_ATTACHED):
        kept = sample.get("attachments")
        reply = kept.get(reply.removeprefix(_ATTACHED)) if isinstance(kept, dict) else None
        if not isinstance(reply, str):
            return InputError(where, "lacks the attachment that holds its reply", _AS_WRITTEN)
    return _row(sample.get("id"), epoch - 1, model, reply, where)


# -- lm-evaluation-harness -------------------------------------------------------------------------


def _lm_eval_rows(path: Path) -> SourceRows:
    """The rows of a file of samples of lm-evaluation-harness, those of several filters once."""
    rows = open_rows(path, RowOptions(may_say=False))

    def read() -> Iterator[SourceRow]:
        filters: dict[str, JsonValue] = {}
        for row in rows.read():
            content = row.content
            if isinstance(content, InputError):
                yield row
                continue
            asked = sha256(repr([content.get(field) for field in _SAME_IN_FILTERS]).encode()).hexdigest()
            if filters.setdefault(asked, content.get("filter")) == content.get("filter"):
                yield from (replace(row, content=made) for made in _of_lm_eval(content, row.where))

    return SourceRows(rows.where, COLUMNS, True, rows.notices, read)


def _of_lm_eval(content: Mapping[str, Any], where: str) -> list[_Made]:
    doc, replies = content.get("doc"), content.get("resps")
    if not isinstance(doc, dict) or not isinstance(replies, list):
        remedy = "give samples_TASK_DATE.jsonl, which lm_eval writes with --log_samples"
        return [InputError(where, "has no doc or no resps", remedy)]
    name = next((doc[field] for field in _IDS if field in doc), None)
    texts = [text for reply in replies for text in (reply if isinstance(reply, list) else [reply])]
    if not all(isinstance(text, str) for text in texts):
        wrong = "has likelihoods of choices, which are no reply"
        return [InputError(where, wrong, "run the task with output_type: generate_until")]
    return [_row(name, repeat, "", text, where) for repeat, text in enumerate(texts)]


# -- OpenAI's batches ------------------------------------------------------------------------------


def _batch_rows(path: Path) -> SourceRows:
    """The rows of an output file of OpenAI's batches. Requests that failed have no answer."""
    rows = open_rows(path, RowOptions(may_say=False))
    notices = list(rows.notices)

    def read() -> Iterator[SourceRow]:
        failed = 0
        for row in rows.read():
            if isinstance(row.content, InputError):
                yield row
            elif _has_failed(row.content):
                failed += 1
            else:
                yield from (replace(row, content=made) for made in _of_batch(row.content, row.where))
        if failed:
            notices.append(f"{counted(failed, 'request')} of the batch failed and {_LEFT_OUT}")

    return SourceRows(rows.where, COLUMNS, True, notices, read)


def _has_failed(content: Mapping[str, Any]) -> bool:
    response = content.get("response")
    return bool(content.get("error")) or not isinstance(response, dict) or response.get("status_code") != 200


def _of_batch(content: Mapping[str, Any], where: str) -> list[_Made]:
    body = content["response"].get("body")
    texts = list(_texts_of_body(body)) if isinstance(body, dict) else []
    if not texts or None in texts:
        remedy = "give the output file of a batch of /v1/chat/completions or /v1/responses"
        return [InputError(where, "has no reply in response.body", remedy)]
    name, model = content.get("custom_id"), str(body.get("model") or "")
    return [_row(name, repeat, model, text, where) for repeat, text in enumerate(texts)]


def _texts_of_body(body: Mapping[str, Any]) -> Iterator[str | None]:
    """The replies of a body: of each choice, or of the messages of a response. None for one of no known form.

    A refusal has null as its content, which is an empty reply.
    """
    for choice in _listed(body.get("choices")):
        message = choice.get("message")
        if isinstance(message, dict):
            content = message.get("content")
            yield "" if content is None else content if isinstance(content, str) else None
    parts = [
        str(part.get("text") or "")
        for item in _listed(body.get("output"))
        if item.get("type") == "message"
        for part in _listed(item.get("content"))
    ]
    if parts:
        yield "".join(parts)


def _listed(value: object) -> Iterator[Mapping[str, Any]]:
    yield from (item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()


def _row(name: object, repeat: int, model: str, reply: object, where: str) -> _Made:
    if isinstance(name, bool) or not isinstance(name, str | int) or str(name) == "":
        wrong = "has no id, so that nothing says which case it is about"
        return InputError(where, wrong, "give samples the keys of cases as ids")
    texts = str(name), str(reply)
    if fault := next(filter(None, map(fault_in, texts)), None):
        return InputError(where, fault, CORRECT)
    return {"id": texts[0], "repeat": repeat, "model": model, "reply": texts[1]}


HARNESSES: Final[Mapping[str, Callable[[Path], SourceRows]]] = {
    "inspect": _inspect_rows,
    "lm-eval": _lm_eval_rows,
    "openai-batch": _batch_rows,
}
"""Layout → the rows of its files. Every protocol that models can be asked about has these layouts."""


PACKED_MARK: Final = b"PK\x03\x04"
AS_JSON: Final = "write it as JSON: inspect log convert LOG --to json --output-dir DIR"
_HEADER, _SAMPLES = "header.json", "samples/"
_ZSTD: Final = 93
_LOCAL: Final = struct.Struct("<4s22xHH")
"""The mark of a member's own header, and how long its name and its extra field are."""
_LOCKED: Final = 1
_OF_A_ZIP = (
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
    *(OverflowError, IndexError, struct.error, zlib.error),
)
_NO_ZSTD = (
    "this log of inspect_ai is compressed by zstd, which needs pyarrow before Python 3.14; install it with: "
    f"pip install 'dilemma-reviewer[parquet]', or {AS_JSON}."
)


def packed_log(path: Path, where: str) -> dict[str, Any]:
    """The log as if it were JSON: its header with its samples. Raises InputError and RequestError."""
    with path.open("rb") as file:
        try:
            with zipfile.ZipFile(file) as archive:
                return _read(_Members(archive, file, where, most_unpacked(path)))
        except _OF_A_ZIP as error:
            raise InputError(where, "is not a packed log that can be read", AS_JSON) from error


def _read(members: "_Members") -> dict[str, Any]:
    if _HEADER not in members.names:
        wrong = "is half written (it has no header.json)"
        raise InputError(members.where, wrong, "wait until `inspect eval` has ended")
    header = members.value(_HEADER)
    names = [name for name in members.names if name.startswith(_SAMPLES) and name.endswith(".json")]
    samples = [members.value(name) for name in names]
    return {**header, "samples": samples} if isinstance(header, dict) else {}


class _Members:
    """The files in a log, unpacked within a limit for all of them."""

    def __init__(self, archive: zipfile.ZipFile, file: BinaryIO, where: str, most: int) -> None:
        self._archive, self._file, self.where, self._left = archive, file, where, most
        self.names = list(dict.fromkeys(archive.namelist()))

    def value(self, name: str) -> Any:
        """The content of a file of JSON."""
        text = b"".join(self._parts(self._archive.getinfo(name))).decode()
        return parse(text, f"{self.where}, {shown(name)}")

    def _parts(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.flag_bits & _LOCKED:
            raise InputError(self.where, "is locked by a password", AS_JSON)
        with self._opened(member) as unpacked:
            while part := unpacked.read(1 << 16):
                self._left -= len(part)
                if self._left < 0:
                    raise InputError(self.where, "unpacks to more than a log of its size holds", AS_JSON)
                yield bytes(part)

    def _opened(self, member: zipfile.ZipInfo) -> Any:
        if member.compress_type != _ZSTD or hasattr(zipfile, "ZIP_ZSTANDARD"):
            return self._archive.open(member)
        try:
            import pyarrow
        except ModuleNotFoundError as error:
            raise RequestError(_NO_ZSTD) from error
        self._file.seek(member.header_offset)
        mark, of_name, of_extra = _LOCAL.unpack(self._file.read(_LOCAL.size))
        if mark != PACKED_MARK:
            raise zipfile.BadZipFile
        self._file.seek(of_name + of_extra, 1)
        packed = pyarrow.BufferReader(self._file.read(member.compress_size))
        return pyarrow.CompressedInputStream(packed, "zstd")
