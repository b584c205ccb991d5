"""What a hostile worker sends to run code in its client: pickles that create a file named by the process."""

import copyreg
import pickle

from distributed import get_worker
from distributed.protocol.serialize import Serialized


class _Code:
    """Unpickling it creates ``path-PID``."""

    def __init__(self, path: str) -> None:
        self._code = f"open({path!r} + '-' + str(__import__('os').getpid()), 'w').close()"

    def __reduce__(self) -> tuple[object, ...]:
        return exec, (self._code, {})


def as_result(path: str) -> bytes:
    """Its result is marked as a pickle, whatever the client wants to read."""
    header = {"serializer": "pickle", "writeable": ()}
    return Serialized(header, [pickle.dumps(_Code(path))])  # type: ignore[return-value, no-untyped-call]


def as_error(path: str) -> bytes:
    """It raises an error that holds the code."""
    raise RuntimeError(_Code(path))


def as_type(path: str) -> bytes:
    """The type of its result holds the code, and dask tells the client types."""

    class Disguise(type):
        """Makes a class that is pickled as the code."""

    copyreg.pickle(Disguise, lambda _: _Code(path).__reduce__())  # type: ignore[arg-type]
    return Disguise("Text", (bytes,), {})(b"harmless")  # type: ignore[no-any-return]


def as_warning(path: str) -> bytes:
    """It logs a warning that holds the code, and returns what is expected."""
    get_worker().log_event("warn", {"message": pickle.dumps(_Code(path))})
    return b"harmless"


def as_print(path: str) -> bytes:
    """It prints on the client's terminal."""
    get_worker().log_event("print", {"args": ("printed by a worker",), "file": 1})
    return path.encode()
