"""A release as a dataset of this store: its cases as sealed, and what is known of the release."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.releases.release_checks import failure_words
from reviewer.exchange.releases.release_content import ReleaseContent
from reviewer.exchange.releases.release_reading import read_folder
from reviewer.exchange.releases.verification import verified
from reviewer.exchange.rows.source_file import shown_path
from reviewer.protocols.base import Protocol
from reviewer.protocols.case_lines import CaseLines
from reviewer.protocols.formats import Reading, Source
from reviewer.protocols.registry import Protocols
from store.clock import instant, now_ms
from store.records import Citation, KeptDeclaration, Release


@dataclass(frozen=True, slots=True)
class KnownOfRelease:
    """What is kept of an imported release: its seal and content, and how it is cited.

    ``withdrawn`` are the keys of withdrawn cases that the release holds on request, ``taken_out`` those of
    cases that earlier versions may hold and that were withdrawn before this one.
    """

    release: Release
    citation: Citation
    withdrawn: frozenset[str]
    taken_out: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadRelease:
    """A verified release: its protocol, its cases, and what is known of it.

    ``declared`` is the declaration of its protocol, if that was declared in a file, and ``definitions`` are
    those of groups that the protocol does not define.
    """

    protocol: Protocol
    reading: Reading
    known: KnownOfRelease
    declared: KeptDeclaration | None
    definitions: Mapping[str, str]

    @property
    def source(self) -> str:
        """What its dataset came from, in words."""
        return f"release {self.known.release.name} {self.known.release.version}"


def read_release(folder: Path, dataset: str, protocols: Protocols) -> ReadRelease:
    """A release that holds, to be imported as a dataset; raises InputError and RequestError.

    No program is run: the import checks files, seal, cases and counts.
    """
    verification = verified(read_folder(folder), protocols)
    manifest, rows = verification.manifest, verification.rows
    if (wrong := failure_words(verification.checks)) or manifest is None or rows is None:
        said = (wrong or "the release does not hold").removesuffix(".")
        raise InputError(shown_path(folder), said, "see `reviewer release verify`")
    content = manifest.content
    protocol = verification.protocols.named(content.protocol)
    source = Source(folder.name, shown(folder.name), shown_path(folder))
    release = Release(
        dataset=dataset,
        name=content.dataset,
        version=content.version,
        seal=manifest.seal,
        origin="imported",
        program=content.program,
        content=content.model_dump(mode="json"),
        at=instant(now_ms()),
    )
    cited = content.citation
    citation = Citation(
        dataset=dataset, licence=cited.licence, authors=list(cited.authors), contact=cited.contact
    )
    reading = CaseLines().read(list(enumerate(rows, 1)), protocol, source)
    own = {group.name for group in protocol.groups if group.definition}
    definitions = {
        name: text for name, text in content.definitions.items() if name in content.groups and name not in own
    }
    known = KnownOfRelease(release, citation, frozenset(content.withdrawn), _taken_out(content))
    return ReadRelease(protocol, reading, known, verification.declared, definitions)


def _taken_out(content: ReleaseContent) -> frozenset[str]:
    """The keys of cases that were withdrawn and left out."""
    newest = {change.key: change.kind for change in content.changes}
    return frozenset(key for key, kind in newest.items() if kind == "withdrawal" and key not in content.cases)
