"""Temporary files and folders, and the sentence where there is no room for them."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from reviewer.core.errors import StoreError

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def temporary_folder(what: str) -> Iterator[Path]:
    """A folder that is removed at the end; raises StoreError if it has no room for ``what``."""
    try:
        folder = tempfile.TemporaryDirectory(prefix="reviewer-")
    except OSError as error:
        raise no_temporary_room(what, error) from error
    with folder as path:
        try:
            yield Path(path)
        except OSError as error:
            if error.errno in _NO_ROOM:
                raise no_temporary_room(what, error) from error
            raise


def no_temporary_room(what: str, error: OSError) -> StoreError:
    """The error where the folder for temporary files refused something."""
    return StoreError(
        f"the folder for temporary files refused {what} ({error.strerror}); free room in it, or name another "
        "folder in the variable TMPDIR."
    )
