"""A release as a dataset of this store: its cases as sealed, and the known facts of the release."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.releases.release_checks import failure_words
from reviewer.exchange.releases.release_content import ReleaseContent
from reviewer.exchange.releases.release_files import DataRow
from reviewer.exchange.releases.release_folder import read_folder
from reviewer.exchange.releases.verification import verified
from reviewer.exchange.rows.dataset_import import CheckedSource
from reviewer.exchange.rows.source_file import shown_path
from reviewer.exchange.rows.source_reading import StreamedReading, all_problems, incoming_of
from reviewer.protocols.case_lines import CaseLines
from reviewer.protocols.formats import Source, SourceRow, SourceRows
from reviewer.protocols.registry import Protocols
from store.clock import instant, now_ms
from store.records import Citation, Dataset, Release


@dataclass(frozen=True, slots=True)
class KnownOfRelease:
    """The stored facts of an imported release: its seal and content, and how it is cited.

    ``withdrawn`` are the keys of withdrawn cases that the release holds on request, ``taken_out`` those of
    cases that earlier versions may hold and that were withdrawn before this one.
    """

    release: Release
    citation: Citation
    withdrawn: frozenset[str]
    taken_out: frozenset[str]


def read_release(folder: Path, dataset: str, protocols: Protocols) -> CheckedSource:
    """A release that holds, to be imported as a dataset; raises InputError and RequestError.

    No program is run: the import checks files, seal, cases and counts.
    """
    verification = verified(read_folder(folder), protocols)
    manifest, rows = verification.manifest, verification.rows
    if (wrong := failure_words(verification.checks)) or manifest is None or rows is None:
        said = (wrong or "the release does not hold").removesuffix(".")
        raise InputError(shown_path(folder), said, "see `reviewer release verify`")
    content, now = manifest.content, instant(now_ms())
    protocol = verification.protocols.named(content.protocol)
    source = Source(folder.name, shown(folder.name), shown_path(folder))
    lines = SourceRows(source.shown, None, True, [], partial(_lines, rows, source.shown))
    incoming = incoming_of(StreamedReading(CaseLines().read(lines, protocol, source), ()), dataset)
    if incoming.problems:
        raise all_problems(incoming.problems)
    own = {group.name for group in protocol.groups if group.definition}
    return CheckedSource(
        Dataset(
            name=dataset, protocol=protocol.reference, source=f"release {content.title}", imported_at=now
        ),
        incoming,
        known=KnownOfRelease(
            content.record(dataset, "imported", now),
            Citation(dataset=dataset, **content.citation.model_dump()),
            frozenset(content.withdrawn),
            _taken_out(content),
        ),
        declared=verification.declared,
        definitions={
            name: text
            for name, text in content.definitions.items()
            if name in content.groups and name not in own
        },
    )


def _lines(rows: Sequence[DataRow], where: str) -> Iterator[SourceRow]:
    return (SourceRow(number, f"{where}, line {number}", row) for number, row in enumerate(rows, 1))


def _taken_out(content: ReleaseContent) -> frozenset[str]:
    """The keys of cases that were withdrawn and left out."""
    newest = {change.key: change.kind for change in content.changes}
    return frozenset(key for key, kind in newest.items() if kind == "withdrawal" and key not in content.cases)
