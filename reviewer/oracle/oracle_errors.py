"""Errors of the oracle itself. What is wrong with a program is a status of its result."""

import sys

from reviewer.core.errors import ReviewerError


class OracleError(ReviewerError):
    """The oracle cannot work."""


class OracleMissing(OracleError):  # noqa: N818  # it names what is missing
    """SWI-Prolog is not installed; the message names the command that installs it."""

    def __init__(self, detail: str = "") -> None:
        reason = f" ({detail})" if detail else ""
        super().__init__(f"SWI-Prolog was not found{reason}; install it with: {install_command()}")


class OracleBroken(OracleError):  # noqa: N818
    """SWI-Prolog is there, but a worker process does not start or does not answer."""


class OracleStopped(OracleError):  # noqa: N818
    """The work was cancelled, so its worker was ended in the middle of a job."""

    def __init__(self) -> None:
        super().__init__("logic was stopped before it had an answer; run the command again.")


def install_command(platform: str = sys.platform) -> str:
    """The one command that installs SWI-Prolog on this platform."""
    if platform == "darwin":
        return "brew install swi-prolog"
    if platform.startswith("win"):
        return "winget install SWI-Prolog.SWI-Prolog"
    return "sudo apt-get install --no-install-recommends swi-prolog-nox"
