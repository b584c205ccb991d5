"""What a worker does: the jobs of one chunk, one after the other, with oracle processes of its own."""

import json
import time
from collections.abc import Sequence
from typing import Any

from reviewer.cluster.chunks import ChunkHeader, ReplyHeader, read_chunk, written_reply
from reviewer.cluster.job_kinds import JobKind, kind_of_header
from reviewer.core.errors import ReviewerError
from reviewer.core.sanitize import one_line
from reviewer.oracle.program_runner import EngineVersion, engine_here

_LONGEST = 300


def run_chunk(payload: bytes) -> bytes:
    """The reply to a chunk. It raises nothing: what goes wrong becomes a reply too."""
    try:
        header, jobs = read_chunk(payload)
        return _done(header, jobs)
    except MemoryError:
        return written_reply(ReplyHeader(problem="it has not enough memory", divide=True))
    except Exception as error:  # whatever a library raises; the client shall not see it pickled
        return written_reply(ReplyHeader(problem=_words(error)))


def _result(kind: JobKind[Any, Any], job: bytes) -> bytes:
    """The result of a job, or why there is none as a text; what concerns the whole worker is raised."""
    try:
        return kind.do(job)
    except (MemoryError, ReviewerError):
        raise
    except Exception as error:
        return json.dumps(_words(error)).encode()


def _words(error: Exception) -> str:
    return one_line(str(error) or type(error).__name__, _LONGEST) or "an error without a text"


def _done(header: ChunkHeader, jobs: Sequence[bytes]) -> bytes:
    engine = EngineVersion("") if header.kind == "encode" else engine_here()
    kind, started = kind_of_header(header), time.monotonic()
    results = [_result(kind, job) for job in jobs]
    seconds = time.monotonic() - started
    reply = ReplyHeader(version=engine.version, differing=engine.differing, seconds=seconds)
    return written_reply(reply, results)
