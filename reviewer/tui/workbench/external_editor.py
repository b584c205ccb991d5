"""The person's own editor on one text: started without a shell, on a private file."""

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line

_USUAL = ("sensible-editor", "nano", "vi")
_SUFFIX = {"program": ".pl", "prose": ".txt"}
_BYTES_A_CHARACTER = 4


@dataclass(frozen=True, slots=True)
class EditedText:
    """What came back: a new text (None: the text is as before) and a sentence if something went wrong."""

    text: str | None
    problem: str = ""


def editor_command(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The words of the command in VISUAL or EDITOR, or a usual editor; raises RequestError without any."""
    for name in ("VISUAL", "EDITOR"):
        if given := environment.get(name, "").strip():
            try:
                words = tuple(shlex.split(given))
            except ValueError as error:
                raise RequestError(f"${name} cannot be read as a command ({error}); correct it.") from error
            if shutil.which(words[0]) is None:
                raise RequestError(f"${name} names {one_line(words[0])!r}, which cannot be run; correct it.")
            return words
    for usual in _USUAL:
        if shutil.which(usual):
            return (usual,)
    raise RequestError("no editor was found; set EDITOR to the command of your editor, for example nano.")


def edit_outside(command: Sequence[str], text: str, kind: str, name: str, most: int) -> EditedText:
    """Run the editor on a private file with the text, and read the file back.

    ``most`` is the longest text that is accepted. The file is deleted, unless the editor left something in it
    that was not accepted.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="reviewer-edit-"))  # of mode 0700
    except OSError as error:
        return EditedText(None, f"No private folder can be made ({error}); the text is as before.")
    file = folder / f"{name}{_SUFFIX.get(kind, '.txt')}"
    try:
        _write_private(file, text)
        ended = subprocess.run([*command, str(file)], check=False).returncode  # noqa: S603  # the person's editor
        edited = _read_back(file, text, ended, most)
    except KeyboardInterrupt:
        edited = EditedText(None, "The editor was interrupted; the text is as before.")
    except OSError as error:
        edited = EditedText(None, f"The editor cannot be used ({error}); the text is as before.")
    if not edited.problem or not _holds_work(file, text):
        shutil.rmtree(folder, ignore_errors=True)
        return edited
    return EditedText(None, f"{edited.problem} What the editor left is kept in {file}.")


def _write_private(file: Path, text: str) -> None:
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as opened:
        opened.write(f"{text.rstrip()}\n")


def _read_back(file: Path, before: str, ended: int, most: int) -> EditedText:
    if ended < 0:
        return EditedText(None, f"The editor was killed ({_signal(-ended)}); the text is as before.")
    if ended:
        return EditedText(None, f"The editor ended with an error (code {ended}); the text is as before.")
    with file.open("rb") as opened:
        content = opened.read(most * _BYTES_A_CHARACTER + 1)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        return EditedText(None, "The editor left a file that is not UTF-8; the text is as before.")
    if not text:
        return EditedText(None, "The editor left the file empty; the text is as before.")
    if len(text) > most:
        return EditedText(None, f"The editor left more than {most:,} characters; the text is as before.")
    return EditedText(None if text == before.strip() else text)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _holds_work(file: Path, before: str) -> bool:
    """Whether the file holds something else than the text that the editor was started with."""
    try:
        content = file.read_bytes()
    except OSError:
        return False
    return bool(content.strip()) and content.strip() != before.strip().encode()
