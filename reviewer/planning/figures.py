"""The measured figures that estimates begin with, and the assumptions that stand beside them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class MeasuredFigures:
    """Seconds of one processor core, and bytes. ``tests/bench/planning.py`` measures them again.

    An audit takes ``program_seconds`` a case in the processes that run programs, and ``client_seconds`` in
    the one that reads and writes the store. On a cluster the latter is ``cluster_client_seconds``, the
    scheduler and the workers take more, and ``bytes_sent`` travel. An index takes ``index_text_seconds`` and
    ``index_root_seconds`` √n for each of n texts.
    """

    import_seconds: float
    program_seconds: float
    client_seconds: float
    cluster_client_seconds: float
    scheduler_seconds: float
    worker_seconds: float
    bytes_sent: float
    text_seconds: float
    vector_seconds: float
    pair_seconds: float
    index_text_seconds: float
    index_root_seconds: float
    call_seconds: float
    bytes_a_case: float
    bytes_an_audit: float
    bytes_a_vector: float
    bytes_a_call: float


MEASURED: Final = MeasuredFigures(
    import_seconds=0.0008,
    program_seconds=0.058,
    client_seconds=0.0105,
    cluster_client_seconds=0.0083,
    scheduler_seconds=0.0012,
    worker_seconds=0.002,
    bytes_sent=1_310,
    text_seconds=0.042,
    vector_seconds=0.00006,
    pair_seconds=1.3e-8,
    index_text_seconds=6.1e-5,
    index_root_seconds=1.5e-6,
    call_seconds=0.0025,
    bytes_a_case=13_700,
    bytes_an_audit=29_500,
    bytes_a_vector=2_190,
    bytes_a_call=1_240,
)
