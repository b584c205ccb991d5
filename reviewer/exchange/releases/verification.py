"""Checking a release that somebody else made: its files, seal, cases, counts and pages.

It proves that the folder is whole and agrees with itself. It does not prove who made it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from reviewer import __version__
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.published_labels import read_labels
from reviewer.exchange.releases.recomputed import (
    contradicted_parts,
    guessing_check,
    number_checks,
    right_options_check,
)
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import PAGES, ReleaseContent, ReleaseManifest, RowFacts
from reviewer.exchange.releases.release_files import (
    DataRow,
    own_format_fault,
    own_format_of,
    parquet_fault,
    row_facts,
    rows_of,
    sealed_as,
)
from reviewer.exchange.releases.release_folder import (
    GET_AGAIN,
    FolderOfRelease,
    ReleaseFile,
    checksums_of,
    manifest_of,
    sha256,
    utf8_text,
)
from reviewer.exchange.releases.release_limits import makers_word
from reviewer.exchange.releases.release_pages import release_pages
from reviewer.exchange.rows.declaration_file import declared_by
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.records import KeptDeclaration, digest_of

_COUNTED = ("groups", "generators", "fields", "texts", "extras", "mixed")


@dataclass(frozen=True, slots=True)
class Verification:
    """The checks of a release that need no program, and its content as far as it was read.

    ``manifest`` and ``rows`` are None if they could not be read. ``protocols`` has that of the release too,
    if it came ``declared`` with it.
    """

    checks: tuple[ReleaseCheck, ...]
    manifest: ReleaseManifest | None
    rows: tuple[DataRow, ...] | None
    protocols: Protocols
    declared: KeptDeclaration | None

    @property
    def whole(self) -> bool:
        """Whether no check fails."""
        return all(check.state != "fails" for check in self.checks)


def verified(folder: FolderOfRelease, protocols: Protocols = PROTOCOLS) -> Verification:
    """Check the files of a release against each other, without running any program."""
    checks: list[ReleaseCheck] = [ReleaseCheck(name, "fails", "is missing") for name in folder.missing]
    checks += [
        ReleaseCheck(shown(name), "fails", "is in the folder, but not a file of the release")
        for name in folder.extra
    ]
    manifest = _read(manifest_of, ReleaseFile.MANIFEST, folder.files, checks)
    rows = _read(rows_of, ReleaseFile.ROWS, folder.files, checks)
    sums = _read(checksums_of, ReleaseFile.CHECKSUMS, folder.files, checks)
    if sums is not None:
        checks += _file_checks(folder.files, manifest, sums)
    declared: KeptDeclaration | None = None
    if manifest:
        checks.append(_seal_check(manifest))
        try:
            protocols, declared = _declared(folder.files, manifest.content, protocols)
        except (InputError, RequestError) as error:
            wrong = error.wrong if isinstance(error, InputError) else str(error)
            checks.append(ReleaseCheck(ReleaseFile.DECLARATION, "fails", wrong))
    if manifest and rows is not None:
        checks += _row_checks(manifest.content, rows)
        checks += _parquet_checks(folder.files, rows)
        checks += _own_checks(folder.files, manifest.content, rows, protocols)
        checks += _stated_checks(folder.files, manifest.content, rows, protocols)
        if all(check.state != "fails" for check in checks):
            checks += _page_checks(folder.files, manifest.content)
    return Verification(tuple(checks), manifest, None if rows is None else tuple(rows), protocols, declared)


def _stated_checks(
    files: Mapping[str, bytes], content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """The numbers of studies against the labels, and numbers that only the makers can know."""
    try:
        yield from number_checks(content, read_labels(files), rows, protocols)
    except InputError as error:
        yield ReleaseCheck(error.where, "fails", error.wrong)
    yield from right_options_check(content, rows, protocols)
    yield from guessing_check(content, rows, protocols)
    yield ReleaseCheck("what only its makers know", "not checked", makers_word(content))


_Read = TypeVar("_Read")


def _read(
    reader: Callable[[bytes], _Read], path: str, files: Mapping[str, bytes], checks: list[ReleaseCheck]
) -> _Read | None:
    """What a reader finds in a file; None, with a check that fails, for a bad one."""
    try:
        return reader(files[path]) if path in files else None
    except InputError as error:
        checks.append(ReleaseCheck(error.where, "fails", error.wrong))
        return None


def _declared(
    files: Mapping[str, bytes], content: ReleaseContent, protocols: Protocols
) -> tuple[Protocols, KeptDeclaration | None]:
    """The protocols with that of the release, and its declaration; raises InputError and RequestError."""
    if not content.declared and ReleaseFile.DECLARATION not in files:
        return protocols, None
    if not content.declared or ReleaseFile.DECLARATION not in files:
        wrong = (
            f"is there, and {ReleaseFile.MANIFEST} has none"
            if ReleaseFile.DECLARATION in files
            else "is missing"
        )
        raise InputError(ReleaseFile.DECLARATION, wrong, GET_AGAIN)
    text = utf8_text(files[ReleaseFile.DECLARATION], ReleaseFile.DECLARATION)
    if digest_of(text) != content.declared:
        raise InputError(ReleaseFile.DECLARATION, "has other content than was sealed", GET_AGAIN)
    protocol, kept = declared_by(text, ReleaseFile.DECLARATION, ReleaseFile.DECLARATION, protocols)
    if protocol.reference != content.protocol:
        raise InputError(
            ReleaseFile.DECLARATION, f"declares {shown(protocol.reference)!r}, not what was sealed", GET_AGAIN
        )
    return protocols.keeping(lambda: [kept]), kept


def _seal_check(manifest: ReleaseManifest) -> ReleaseCheck:
    if manifest.content.seal != manifest.seal:
        return ReleaseCheck(
            "seal", "fails", f"the content of {ReleaseFile.MANIFEST} has another digest than its seal"
        )
    return ReleaseCheck("seal", "holds", manifest.seal)


def _row_checks(content: ReleaseContent, rows: Sequence[DataRow]) -> Iterator[ReleaseCheck]:
    """The digests of cases and the numbers of the card against the rows."""
    facts = row_facts(rows)
    fault = _case_fault(content, facts, rows)
    whole = f"{counted(len(rows), 'case')} with the sealed digests"
    yield ReleaseCheck("cases", "fails" if fault else "holds", fault or whole)
    differing = [name for name in _COUNTED if getattr(facts, name) != getattr(content, name)]
    differing += contradicted_parts(content, rows)
    left_out = sum(left.cases for left in content.left_out)
    if differing:
        yield ReleaseCheck("counts", "fails", f"{' and '.join(differing)} differ from the data")
    elif len(rows) + left_out != content.places:
        wrong = "released and left-out cases are not all cases of the dataset"
        yield ReleaseCheck("counts", "fails", wrong)
    else:
        detail = f"{counted(len(rows), 'case')} released, {left_out:,} left out"
        yield ReleaseCheck("counts", "holds", detail)


def _case_fault(content: ReleaseContent, facts: RowFacts, rows: Sequence[DataRow]) -> str | None:
    """The first case that is not as it was sealed; None if all are, in their order."""
    counts = Counter(row["key"] for row in rows)
    if twice := next((key for key, number in counts.items() if number > 1), None):
        return f"case {shown(twice)!r} is there twice"
    if missing := sorted(content.cases.keys() - counts.keys()):
        return f"case {shown(missing[0])!r} is missing ({counted(len(missing), 'case')} in all)"
    if other := next((key for key in facts.cases if facts.cases[key] != content.cases.get(key)), None):
        return f"case {shown(other)!r} has other content than was sealed"
    if facts.rows_digest != content.rows_digest:
        return "the rows have other values or another order than was sealed"
    return None


def _parquet_checks(files: Mapping[str, bytes], rows: Sequence[DataRow]) -> Iterator[ReleaseCheck]:
    """The rows of the parquet, if the release has one, against the lines."""
    if ReleaseFile.PARQUET in files:
        try:
            fault = parquet_fault(files[ReleaseFile.PARQUET], rows)
        except RequestError as error:
            yield ReleaseCheck("rows of parquet", "not checked", str(error).removesuffix("."))
            return
        detail = fault or "the same rows as the lines"
        yield ReleaseCheck("rows of parquet", "fails" if fault else "holds", detail)


def _own_checks(
    files: Mapping[str, bytes], content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """The cases in the benchmark's own format, if the release has them, against the lines."""
    if ReleaseFile.OWN not in files:
        return
    about, protocol = f"rows of {ReleaseFile.OWN}", protocols.get(content.protocol)
    form = own_format_of(protocol) if protocol else None
    if protocol is None or form is None:
        why = f"this program has no such format for protocol {shown(content.protocol)!r}"
        yield ReleaseCheck(about, "not checked", why)
        return
    fault = own_format_fault(files[ReleaseFile.OWN], rows, protocol, form)
    yield ReleaseCheck(about, "fails" if fault else "holds", fault or "the same values as the lines")


def _file_checks(
    files: Mapping[str, bytes], manifest: ReleaseManifest | None, sums: Mapping[str, str]
) -> Iterator[ReleaseCheck]:
    """Each file against its checksum and the seal. The seal tells whether the file or its line was changed.

    Only checksums are compared if there is no manifest whose seal is that of its content.
    """
    content = manifest.content if manifest and manifest.seal == manifest.content.seal else None
    sealed = sealed_as(content, files) if content else {}
    checks = [_file_check(path, held, sums.get(path), sealed.get(path)) for path, held in files.items()]
    yield from (check for check in checks if check)
    for path in sums.keys() - files.keys():
        yield ReleaseCheck(path, "fails", f"is missing, and {ReleaseFile.CHECKSUMS} has it")
    for path in (content.files.keys() if content else set()) - files.keys() - sums.keys():
        yield ReleaseCheck(shown(path), "fails", "is missing, and it was sealed")
    good = checks.count(None) - 1  # the checksums themselves have no line
    yield ReleaseCheck(
        "files", "holds", f"{counted(good, 'file')} with the digests of {ReleaseFile.CHECKSUMS}"
    )


def _file_check(path: str, held: bytes, listed: str | None, sealed: bool | None) -> ReleaseCheck | None:
    """The fault of a file, or of its line of checksums; ``sealed`` is None if nothing seals it."""
    if path == ReleaseFile.CHECKSUMS:
        return None
    fits = listed == sha256(held)
    if fits and sealed is not False:
        return None
    if listed is None or sealed:
        return ReleaseCheck(ReleaseFile.CHECKSUMS, "fails", f"has another digest of {path}, or none")
    if path == ReleaseFile.CARD:
        return ReleaseCheck(path, "edited", "is not as it was made; trust the other files")
    wrong = (
        "has other content than was sealed"
        if fits
        else f"was changed: it does not match its line in {ReleaseFile.CHECKSUMS}"
    )
    return ReleaseCheck(path, "fails", wrong)


def _page_checks(files: Mapping[str, bytes], content: ReleaseContent) -> Iterator[ReleaseCheck]:
    """Card, changelog, citation and metadata against those that this program makes of the sealed content."""
    if (content.program, content.pages) != (__version__, PAGES):
        wrote = f"version {shown(content.program)} of the program wrote them, and this is {__version__}"
        if content.program == __version__:
            wrote = f"{'an earlier' if content.pages < PAGES else 'a later'} state of this program wrote them"
        yield ReleaseCheck("pages", "not checked", f"{wrote}: only their digests were compared")
        return
    pages = _pages(files, content)
    differing = [path for path, page in pages.items() if path in files and files[path] != page]
    for path in differing:
        if path == ReleaseFile.CARD:
            why = "was edited, or an earlier state of this program wrote it: it is not what is written now"
            yield ReleaseCheck("card", "edited", why)
        else:
            yield ReleaseCheck(
                path, "fails", f"says something else than the sealed content of {ReleaseFile.MANIFEST}"
            )
    if not pages:
        yield ReleaseCheck(
            "pages", "fails", f"cannot be made of the sealed content of {ReleaseFile.MANIFEST}"
        )
    elif not differing:
        yield ReleaseCheck("pages", "holds", "card, changelog, citation and metadata say what was sealed")


def _pages(files: Mapping[str, bytes], content: ReleaseContent) -> dict[str, bytes]:
    """The pages of the sealed content; {} if none can be made of a stranger's content."""
    data = {
        path: held
        for path, held in files.items()
        if path.startswith("data/") or path == ReleaseFile.DECLARATION
    }
    try:
        pages = release_pages(content, data)
    except (InputError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return {name: text.encode(errors="backslashreplace") for name, text in pages.items()}
