"""Checking a release that somebody else made: its files, seal, cases, counts and pages.

It proves that the folder is whole and agrees with itself. It does not prove who made it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from reviewer import __version__
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.core.table import Table
from reviewer.exchange.releases.own_format import own_file_of, own_format_of
from reviewer.exchange.releases.pages import metadata_text, release_pages
from reviewer.exchange.releases.release_content import ReleaseContent, ReleaseManifest
from reviewer.exchange.releases.release_layout import (
    CARD,
    CHECKSUMS,
    CROISSANT,
    DECLARATION,
    MANIFEST,
    OWN,
    PARQUET,
    ROWS,
    DataFile,
    sha256,
)
from reviewer.exchange.releases.release_reading import (
    GET_AGAIN,
    FolderOfRelease,
    checksums_of,
    manifest_of,
    rows_of,
    utf8_text,
)
from reviewer.exchange.releases.release_rows import DataRow, parquet_fault, rows_as_lines, rows_digest
from reviewer.exchange.rows.declaration_file import declared_by
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.records import KeptDeclaration, digest_of

CheckState = Literal["holds", "fails", "edited", "not checked"]


@dataclass(frozen=True, slots=True)
class ReleaseCheck:
    """What one check of a release came to: which, how, and why. Only the card may be ``edited``."""

    about: str
    state: CheckState
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Verification:
    """The checks of a release that need no program, and what was read of it.

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
    manifest, rows, faults = _read(folder.files)
    checks += faults
    sealed: list[ReleaseCheck] = []
    declared: KeptDeclaration | None = None
    if manifest:
        sealed.append(_seal_check(manifest))
        try:
            protocols, declared = _declared(folder.files, manifest.content, protocols)
        except (InputError, RequestError) as error:
            wrong = error.wrong if isinstance(error, InputError) else str(error)
            sealed.append(ReleaseCheck(DECLARATION, "fails", wrong))
    if manifest and rows is not None:
        sealed += [_cases_check(manifest.content, rows), _counts_check(manifest.content, rows)]
        sealed += [*_parquet_checks(folder.files, manifest, rows), *_own_checks(folder.files, manifest)]
    rebuilt: dict[str, bytes] = {}
    if manifest and rows is not None and all(check.state != "fails" for check in sealed):
        rebuilt = _rebuilt(folder.files, manifest, rows, protocols)
        sealed += _page_checks(folder.files, manifest, rebuilt)
    checks += [*_file_checks(folder.files, rebuilt), *sealed]
    return Verification(tuple(checks), manifest, None if rows is None else tuple(rows), protocols, declared)


def checks_table(checks: Sequence[ReleaseCheck]) -> Table:
    """One row for each check."""
    return Table.of(
        ("check", "result", "detail"), [(check.about, check.state, check.detail) for check in checks]
    )


def failure_words(checks: Sequence[ReleaseCheck]) -> str | None:
    """What is wrong with a release, in a sentence; None if nothing is."""
    failed = [check for check in checks if check.state == "fails"]
    if not failed:
        return None
    more = f" ({counted(len(failed) - 1, 'further check')} failed)" if len(failed) > 1 else ""
    first = failed[0]
    return f"the release does not hold: {first.about}: {first.detail}{more}; get it again from its makers."


def _read(
    files: Mapping[str, bytes],
) -> tuple[ReleaseManifest | None, list[DataRow] | None, list[ReleaseCheck]]:
    manifest, rows, faults = None, None, []
    try:
        manifest = manifest_of(files[MANIFEST]) if MANIFEST in files else None
    except InputError as error:
        faults.append(ReleaseCheck(error.where, "fails", error.wrong))
    try:
        rows = rows_of(files[ROWS]) if ROWS in files else None
    except InputError as error:
        faults.append(ReleaseCheck(error.where, "fails", error.wrong))
    return manifest, rows, faults


def _declared(
    files: Mapping[str, bytes], content: ReleaseContent, protocols: Protocols
) -> tuple[Protocols, KeptDeclaration | None]:
    """The protocols with that of the release, and its declaration; raises InputError and RequestError."""
    if not content.declared and DECLARATION not in files:
        return protocols, None
    if not content.declared or DECLARATION not in files:
        wrong = f"is there, and {MANIFEST} has none" if DECLARATION in files else "is missing"
        raise InputError(DECLARATION, wrong, GET_AGAIN)
    text = utf8_text(files[DECLARATION], DECLARATION)
    if digest_of(text) != content.declared:
        raise InputError(DECLARATION, "has other content than was sealed", GET_AGAIN)
    protocol, kept = declared_by(text, DECLARATION, DECLARATION, protocols)
    if protocol.reference != content.protocol:
        raise InputError(
            DECLARATION, f"declares {shown(protocol.reference)!r}, not what was sealed", GET_AGAIN
        )
    return protocols.keeping(lambda: [kept]), kept


def _rebuilt(
    files: Mapping[str, bytes], manifest: ReleaseManifest, rows: Sequence[DataRow], protocols: Protocols
) -> dict[str, bytes]:
    """The files as this program makes them from manifest and rows; {} if another version made them."""
    if manifest.program != __version__:
        return {}
    data = {ROWS: rows_as_lines(rows)}
    data |= {PARQUET: files[PARQUET]} if manifest.parquet and PARQUET in files else {}
    protocol = protocols.get(manifest.content.protocol)
    form = protocol and manifest.content.own_format and own_format_of(protocol)
    main = {path: DataFile.of(path, content) for path, content in data.items()}
    try:
        own = {OWN: own_file_of(rows, protocol, form)} if protocol and form else {}
        beside = {path: files[path] for path in (OWN, DECLARATION) if path in files} | own
        all_files = main | {path: DataFile.of(path, content) for path, content in beside.items()}
        pages = release_pages(manifest.content, all_files)
        before = metadata_text(manifest.content, main)  # earlier releases described the rows only
    except (ValueError, KeyError, TypeError, AttributeError):  # nothing can be made of what a stranger says
        return {}
    if files.get(CROISSANT) == before.encode(errors="backslashreplace"):
        pages[CROISSANT] = before
    return {ROWS: data[ROWS], MANIFEST: manifest.written, **own} | {
        name: text.encode(errors="backslashreplace") for name, text in pages.items()
    }


def _file_checks(files: Mapping[str, bytes], rebuilt: Mapping[str, bytes]) -> Iterator[ReleaseCheck]:
    """Each file against its checksum. A file that the others confirm has a line that was changed."""
    if CHECKSUMS not in files:
        return
    try:
        sums = checksums_of(files[CHECKSUMS])
    except InputError as error:
        yield ReleaseCheck(error.where, "fails", error.wrong)
        return
    good = 0
    for path, content in files.items():
        if path == CHECKSUMS:
            continue
        if sums.get(path) == sha256(content):
            good += 1
        elif rebuilt.get(path) == content or path not in sums:
            yield ReleaseCheck(CHECKSUMS, "fails", f"has another digest of {path}, or none")
        elif path == CARD:
            yield ReleaseCheck(path, "edited", "is not as it was made; trust the other files")
        else:
            yield ReleaseCheck(path, "fails", f"was changed: it does not match its line in {CHECKSUMS}")
    for path in sums.keys() - files.keys():
        yield ReleaseCheck(path, "fails", f"is missing, and {CHECKSUMS} has it")
    yield ReleaseCheck("files", "holds", f"{counted(good, 'file')} with the digests of {CHECKSUMS}")


def _seal_check(manifest: ReleaseManifest) -> ReleaseCheck:
    if manifest.content.seal != manifest.seal:
        return ReleaseCheck("seal", "fails", f"the content of {MANIFEST} has another digest than its seal")
    return ReleaseCheck("seal", "holds", manifest.seal)


def _cases_check(content: ReleaseContent, rows: Sequence[DataRow]) -> ReleaseCheck:
    """Each case against its digest, and all rows in their order against theirs."""
    keys = [row["key"] for row in rows]
    if fault := _first_fault(content, rows, keys):
        return ReleaseCheck("cases", "fails", fault)
    if rows_digest(rows) != content.rows_digest:
        return ReleaseCheck("cases", "fails", "the rows have other values or another order than was sealed")
    return ReleaseCheck("cases", "holds", f"{counted(len(rows), 'case')} with the sealed digests")


def _first_fault(content: ReleaseContent, rows: Sequence[DataRow], keys: Sequence[str]) -> str | None:
    if twice := next((key for key, number in Counter(keys).items() if number > 1), None):
        return f"case {shown(twice)!r} is there twice"
    if missing := sorted(content.cases.keys() - set(keys)):
        return f"case {shown(missing[0])!r} is missing ({counted(len(missing), 'case')} in all)"
    for row in rows:
        identity = {name: row.get(name) for name in ("protocol", "group", "payload")}
        if content.cases.get(row["key"]) != digest_of(identity):
            return f"case {shown(row['key'])!r} has other content than was sealed"
    return None


def _counts_check(content: ReleaseContent, rows: Sequence[DataRow]) -> ReleaseCheck:
    """The numbers of the card against the rows."""
    groups = Counter(str(row.get("group")) for row in rows)
    generators = Counter((str(row.get("generator")), str(row.get("origin"))) for row in rows)
    stated = {(generator.generator, generator.origin): generator.cases for generator in content.generators}
    left_out = sum(left.cases for left in content.left_out)
    if dict(groups) != content.groups or dict(generators) != stated:
        return ReleaseCheck("counts", "fails", "cases by group or by generator differ from the data")
    if len(rows) + left_out != content.places:
        return ReleaseCheck("counts", "fails", "released and left-out cases are not all cases of the dataset")
    return ReleaseCheck("counts", "holds", f"{counted(len(rows), 'case')} released, {left_out:,} left out")


def _parquet_checks(
    files: Mapping[str, bytes], manifest: ReleaseManifest, rows: Sequence[DataRow]
) -> Iterator[ReleaseCheck]:
    if manifest.parquet != (PARQUET in files):
        wrong = "is missing" if manifest.parquet else f"is there, and {MANIFEST} has none"
        yield ReleaseCheck(PARQUET, "fails", wrong)
    elif PARQUET in files:
        try:
            fault = parquet_fault(files[PARQUET], rows)
        except RequestError as error:
            yield ReleaseCheck("rows of parquet", "not checked", str(error))
            return
        detail = fault or "the same rows as the lines"
        yield ReleaseCheck("rows of parquet", "fails" if fault else "holds", detail)


def _own_checks(files: Mapping[str, bytes], manifest: ReleaseManifest) -> Iterator[ReleaseCheck]:
    """Whether the cases are there in the benchmark's own format exactly if the release says so."""
    if bool(manifest.content.own_format) != (OWN in files):
        wrong = f"is there, and {MANIFEST} has none" if OWN in files else "is missing"
        yield ReleaseCheck(OWN, "fails", wrong)


def _page_checks(
    files: Mapping[str, bytes], manifest: ReleaseManifest, rebuilt: Mapping[str, bytes]
) -> Iterator[ReleaseCheck]:
    """Card, changelog, citation and metadata against the sealed content."""
    if not rebuilt:
        said = shown(manifest.program)
        why = f"version {said} of the program wrote the pages, and this is {__version__}"
        yield ReleaseCheck("pages", "not checked", why)
        return
    differing = [path for path in rebuilt if path in files and files[path] != rebuilt[path]]
    for path in differing:
        if path == CARD:
            why = "was edited, or an earlier state of this program wrote it: it is not what is written now"
            yield ReleaseCheck("card", "edited", why)
        else:
            yield ReleaseCheck(path, "fails", f"says something else than the sealed content of {MANIFEST}")
    if OWN in files and OWN not in rebuilt:
        protocol = shown(manifest.content.protocol)
        yield ReleaseCheck(OWN, "not checked", f"this program has no such format for protocol {protocol!r}")
    if not differing:
        yield ReleaseCheck("pages", "holds", "card, changelog, citation and metadata say what was sealed")
