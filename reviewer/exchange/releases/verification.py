"""Checking a release that somebody else made: its files, seal, cases, counts and pages.

It proves that the folder is whole and agrees with itself. It does not prove who made it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.exchange.releases.file_checks import file_checks, page_checks
from reviewer.exchange.releases.own_format import own_format_fault, own_format_of
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseContent, ReleaseManifest
from reviewer.exchange.releases.release_layout import DECLARATION, MANIFEST, OWN, PARQUET, ROWS
from reviewer.exchange.releases.release_reading import (
    GET_AGAIN,
    FolderOfRelease,
    manifest_of,
    rows_of,
    utf8_text,
)
from reviewer.exchange.releases.release_rows import DataRow, parquet_fault, rows_digest
from reviewer.exchange.rows.declaration_file import declared_by
from reviewer.protocols.registry import PROTOCOLS, Protocols
from store.records import KeptDeclaration, digest_of


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
    checks += [*faults, *file_checks(folder.files, manifest)]
    declared: KeptDeclaration | None = None
    if manifest:
        checks.append(_seal_check(manifest))
        try:
            protocols, declared = _declared(folder.files, manifest.content, protocols)
        except (InputError, RequestError) as error:
            wrong = error.wrong if isinstance(error, InputError) else str(error)
            checks.append(ReleaseCheck(DECLARATION, "fails", wrong))
    if manifest and rows is not None:
        checks += [_cases_check(manifest.content, rows), _counts_check(manifest.content, rows)]
        checks += _parquet_checks(folder.files, rows)
        checks += _own_checks(folder.files, manifest.content, rows, protocols)
        if all(check.state != "fails" for check in checks):
            checks += page_checks(folder.files, manifest.content)
    return Verification(tuple(checks), manifest, None if rows is None else tuple(rows), protocols, declared)


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


def _parquet_checks(files: Mapping[str, bytes], rows: Sequence[DataRow]) -> Iterator[ReleaseCheck]:
    """The rows of the parquet, if the release has one, against the lines."""
    if PARQUET in files:
        try:
            fault = parquet_fault(files[PARQUET], rows)
        except RequestError as error:
            yield ReleaseCheck("rows of parquet", "not checked", str(error).removesuffix("."))
            return
        detail = fault or "the same rows as the lines"
        yield ReleaseCheck("rows of parquet", "fails" if fault else "holds", detail)


def _own_checks(
    files: Mapping[str, bytes], content: ReleaseContent, rows: Sequence[DataRow], protocols: Protocols
) -> Iterator[ReleaseCheck]:
    """The cases in the benchmark's own format, if the release has them, against the lines."""
    if OWN not in files:
        return
    about, protocol = f"rows of {OWN}", protocols.get(content.protocol)
    form = own_format_of(protocol) if protocol else None
    if protocol is None or form is None:
        why = f"this program has no such format for protocol {shown(content.protocol)!r}"
        yield ReleaseCheck(about, "not checked", why)
        return
    fault = own_format_fault(files[OWN], rows, protocol, form)
    yield ReleaseCheck(about, "fails" if fault else "holds", fault or "the same values as the lines")
