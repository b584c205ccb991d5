"""Files to read: what to import, under which name; and which cases count."""

from dataclasses import dataclass
from pathlib import Path

from textual.app import ComposeResult
from textual.widgets import Input

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import one_line
from reviewer.exchange.rows.source_file import names_declaration
from reviewer.protocols.registry import Protocols
from reviewer.tui.dialogs.form import Form, labelled
from reviewer.tui.widgets.form_fields import PathInput


@dataclass(frozen=True, slots=True)
class ImportRequest:
    """A file or folder, the name for its dataset, the model that wrote it, and its protocol.

    None means that the file says who wrote it, or which protocol it belongs to. A protocol may be the file
    that declares it.
    """

    path: Path
    dataset: str
    generator: str | None = None
    protocol: str | None = None


class ImportDialog(Form[ImportRequest]):
    """Returns a request; the files themselves are checked when they are read."""

    TITLE_LINE = "import a dataset"
    DONE = "Import"

    def __init__(self, protocols: Protocols) -> None:
        super().__init__()
        self._protocols = protocols

    def fields(self) -> ComposeResult:
        """Path, name, generator, and the protocol or the file that declares it."""
        yield from labelled(
            "A dataset file, or the folder of a seed corpus or a release", PathInput(id="path")
        )
        yield from labelled("Name of the dataset", Input(id="dataset"))
        yield from labelled("Model that wrote it, where the file does not say so", Input(id="generator"))
        names = ", ".join(self._protocols)
        yield from labelled(
            f"Protocol ({names}) or its TOML file, where the data do not say so", PathInput(id="protocol")
        )

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Suggest a name after the path; Textual calls the form's own handler too, which goes on."""
        name = self.query_one("#dataset", Input)
        if event.input.id == "path" and not name.value:
            path = Path(self.text_of("path")).expanduser()
            name.value = path.name if path.is_dir() else path.stem

    def answer(self) -> ImportRequest:
        """The request; raises RequestError where the path does not exist."""
        text = self.text_of("path")
        try:
            path = Path(text).expanduser()
            exists = bool(text) and path.exists()
        except (OSError, RuntimeError, ValueError):
            exists = False
        if not exists:
            raise RequestError(f"there is no file or folder {one_line(text)!r}; check the path.")
        dataset = checked_name("dataset", self.text_of("dataset"))
        protocol = self.text_of("protocol")
        if names_declaration(protocol):
            protocol = str(self.query_one("#protocol", PathInput).path)
        elif protocol:
            self._protocols.named(protocol)
        return ImportRequest(path, dataset, self.text_of("generator") or None, protocol or None)


class CaseFileDialog(Form[Path]):
    """Returns the path of a file that exists; its lines are checked when it is read."""

    TITLE_LINE = "count the cases of a file"
    DONE = "Count these"

    def fields(self) -> ComposeResult:
        """The path."""
        hint = "CSV with the columns dataset and key, or one key a line"
        yield from labelled("The file", PathInput(id="path", placeholder=hint))

    def answer(self) -> Path:
        """The path; raises RequestError where there is no such file."""
        path = self.query_one("#path", PathInput).path
        try:
            exists = path is not None and path.is_file()
        except (OSError, ValueError):
            exists = False
        if path is None or not exists:
            raise RequestError(f"there is no file {one_line(self.text_of('path'))!r}; check the path.")
        return path
