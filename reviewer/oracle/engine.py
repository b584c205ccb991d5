"""Finds the installed SWI-Prolog."""

import ctypes.util
import os
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from reviewer.oracle.errors import OracleMissing

MAC_APPLICATION = "/Applications/SWI-Prolog.app/Contents/MacOS/swipl"


@dataclass(frozen=True, slots=True)
class Engine:
    """An installed SWI-Prolog: its shared library and its home folder."""

    library: str
    home: str


@lru_cache(maxsize=1)
def find_engine() -> Engine:
    """The installed SWI-Prolog, asked of the ``swipl`` on the path. Raises OracleMissing."""
    given = Engine(os.environ.get("LIBSWIPL_PATH", ""), os.environ.get("SWI_HOME_DIR", ""))
    if given.library and given.home:
        return given
    program = shutil.which("swipl") or (MAC_APPLICATION if Path(MAC_APPLICATION).exists() else None)
    if program is None:
        raise OracleMissing
    variables = _runtime_variables(program)
    home = variables.get("PLBASE", "")
    library = variables.get("PLLIBSWIPL") or ctypes.util.find_library("swipl") or ""
    if not home or not library:
        raise OracleMissing(f"{program} does not name its home and its shared library")
    return Engine(library, home)


def _runtime_variables(program: str) -> dict[str, str]:
    try:
        listing = subprocess.run(  # noqa: S603  # the program is the swipl found on the path
            [program, "--dump-runtime-variables"], capture_output=True, text=True, timeout=60, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise OracleMissing(f"{program}: {error}") from error
    pairs = (line.rstrip().rstrip(";").partition("=") for line in listing.splitlines())
    return {name: value.strip('"') for name, _, value in pairs}
