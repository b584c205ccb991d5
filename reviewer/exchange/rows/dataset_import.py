"""Importing cases: read and check a whole file or folder, then put it into the store.

The protocol's formats recognise a file or folder by its name.
"""

import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.core.errors import InputError, RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted, shown
from reviewer.core.work_progress import Progress
from reviewer.exchange.rows.row_files import AS_FOUND, RowOptions
from reviewer.exchange.rows.source_file import is_release, names_declaration, shown_path
from reviewer.exchange.rows.source_reading import (
    MOST_NAMED,
    Incoming,
    StreamedReading,
    all_problems,
    incoming_of,
    read_source,
)
from reviewer.protocols.base import Protocol
from reviewer.protocols.intake import (
    HAND_WRITTEN,
    LONGEST_GENERATOR,
    ORIGINS,
    UNKNOWN_GENERATOR,
    UNSTATED_GENERATOR,
    is_generator_name,
    origin_of,
)
from reviewer.protocols.registry import PROTOCOLS, Protocols, protocols_of
from store.case_import import Entry, ImportCounts, import_entries
from store.cases import Filter, count_places, find_dataset, places_of
from store.clock import instant, now_ms
from store.database import Database
from store.declarations import DeclaringImport, put_definitions, refuse_other_content
from store.records import Dataset, KeptDeclaration, Membership
from store.releases import citation_of, put_citation, put_release, refuse_other_seal, releases_of
from store.revisions import RevisingImport, withdraw_unrevised

if TYPE_CHECKING:
    from reviewer.exchange.releases.release_import import KnownOfRelease

IMPORTER = "import"
"""The author of changes that an import makes, where it does not know the person."""


@dataclass(frozen=True, slots=True)
class CheckedSource:
    """Checked material that may be stored: a dataset's header, its valid entries, and errors for the others.

    ``given``: the user named the generator, so that all places take this name. ``known`` are facts about a
    release; None if the source is none. ``declared`` is the declaration of its protocol, if it came with the
    import, and ``definitions`` are those of groups that came with it.
    """

    dataset: Dataset
    incoming: Incoming
    given: bool = False
    known: "KnownOfRelease | None" = None
    declared: KeptDeclaration | None = None
    definitions: Mapping[str, str] = field(default_factory=dict)

    @property
    def lacks_generator(self) -> bool:
        """Whether nothing says who wrote some of the cases."""
        return any(entry.place.generator == UNKNOWN_GENERATOR for entry in self.incoming.entries)

    def by(self, generator: str) -> "CheckedSource":
        """The same, with those cases written by a generator; raises RequestError for a name that is none."""
        name = _checked_generator(generator)
        entries = [
            _by(entry, name) if entry.place.generator == UNKNOWN_GENERATOR else entry
            for entry in self.incoming.entries
        ]
        return replace(self, incoming=replace(self.incoming, entries=tuple(entries)))


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The result of an import, in numbers and as a sentence."""

    source: CheckedSource
    counts: ImportCounts
    elsewhere: int
    """Places of the dataset that the material does not hold; they stay as they are."""
    over: int = 0
    """Places where the import was put over a repair or a withdrawal."""
    withdrawn: int = 0
    """Cases that the makers of an imported release withdrew, and that the import withdrew here."""

    @property
    def sentence(self) -> str:
        """One line for people."""
        dataset, entries = self.source.dataset, self.source.incoming.entries
        parts = list(self._parts())
        if self.over:
            parts.append(f"{counted(self.over, 'revision')} by this import, see `reviewer datasets history`")
        elif self.counts.changed_nothing:
            all_of_them = "its one case is" if len(entries) == 1 else f"all {len(entries):,} cases are"
            parts = [f"nothing changed, {all_of_them} there already"]
        if self.withdrawn:
            parts.append(
                f"{counted(self.withdrawn, 'case')} withdrawn here, because the makers of the release did so"
            )
        if self.elsewhere:
            parts.append(
                f"{counted(self.elsewhere, 'case')} that {dataset.source} does not contain stay as they are"
            )
        return f"{dataset.name}: {', '.join(parts)}"

    def _parts(self) -> Iterator[str]:
        entries, counts = self.source.incoming.entries, self.counts
        if counts.added == len(entries):
            groups = len({entry.group for entry in entries})
            origins = Counter(entry.place.origin for entry in entries)
            kinds = [f"{origins[origin]:,} {words}" for origin, words in ORIGINS.items() if origins[origin]]
            within = ", ".join([counted(groups, "group"), *kinds])
            yield f"{counted(counts.added, 'case')} added ({within})"
        elif counts.added:
            yield f"{counted(counts.added, 'case')} added"
        if counts.replaced:
            now = f"{counted(counts.replaced, 'case')} with new content"
            yield f"{now} (verdicts on the old content are kept and marked stale)"
        if counts.values_changed:
            yield f"{counted(counts.values_changed, 'case')} with other published values or origin"
        if counts.respelled:
            cases = counted(counts.respelled, "case")
            yield f"{cases} with the same content, now also kept as {self.source.dataset.source} spells it"
        if same := counts.unchanged - counts.values_changed - counts.respelled:
            yield f"{counted(same, 'case')} as before"


def import_path(
    database: Database,
    path: Path,
    dataset: str,
    generator: str | None = None,
    *,
    protocol: str | None = None,
    groups: Path | None = None,
    skip_invalid: bool = False,
    progress: Progress | None = None,
    options: RowOptions = AS_FOUND,
    importer: str = IMPORTER,
) -> ImportReport:
    """Import a file or folder as a dataset, whole or not at all; raises InputError and RequestError.

    ``importer`` is the person who imports, for the history of withdrawals that a release brings.
    """
    source = check_source(
        path,
        dataset,
        generator,
        protocol=protocol or declared_protocol_of(database, dataset, path),
        groups=groups,
        skip_invalid=skip_invalid,
        protocols=protocols_of(database),
        options=options,
    )
    return store_source(database, settled(database, source), progress, importer=importer)


def declared_protocol_of(database: Database, dataset: str, path: Path) -> str | None:
    """The declared protocol, with its version, of a dataset that is in the store; None for all others.

    Files of rows do not say which declaration they belong to, but the dataset does. Releases say it.
    """
    if is_release(path):
        return None
    with database.read() as session:
        header = find_dataset(session, dataset)
    return header.protocol if header and "@" in header.protocol else None


def check_source(
    path: Path,
    dataset: str,
    generator: str | None = None,
    *,
    protocol: str | None = None,
    groups: Path | None = None,
    skip_invalid: bool = False,
    protocols: Protocols = PROTOCOLS,
    options: RowOptions = AS_FOUND,
) -> CheckedSource:
    """Read all of it without touching a store; raises InputError unless it is valid or may be skipped.

    ``protocol`` is the name of the protocol, or the file that declares it; None where the material itself
    tells. ``groups`` is a file with definitions of groups. ``options`` are for files of rows.
    """
    name = checked_name("dataset", dataset)
    if generator is not None:
        _checked_generator(generator)
    if is_release(path):
        if generator is not None or protocol is not None:
            raise RequestError(
                "a release names its generators and its protocol; leave --generator and --protocol out."
            )
        from reviewer.exchange.releases.release_import import read_release  # loads where one is imported

        return read_release(path, name, protocols)
    declared = None
    if protocol is not None and names_declaration(protocol):
        from reviewer.exchange.rows.declaration_file import declared_in  # loads where somebody declares one

        of_file, declared = declared_in(Path(protocol), protocols)
        protocol, protocols = of_file.reference, protocols.keeping(lambda: [declared])
    owner, reading = read_source(path, protocol, protocols, generator, options)
    header = Dataset(
        name=name,
        protocol=owner.reference,
        source=shown(path.absolute().name),
        imported_at=instant(now_ms()),
    )
    incoming = incoming_of(reading, name)
    if incoming.problems and not skip_invalid:
        raise all_problems(incoming.problems)
    if not incoming.entries:
        of_rows = isinstance(reading, StreamedReading) and not incoming.problems
        wrong = "holds no rows" if of_rows else f"holds no valid case{_first_of(incoming.problems)}"
        raise InputError(shown_path(path), wrong, "check that it is the right file")
    definitions = _definitions(groups, owner, incoming) if groups else {}
    return CheckedSource(header, incoming, generator is not None, declared=declared, definitions=definitions)


def _definitions(file: Path, protocol: Protocol, incoming: Incoming) -> dict[str, str]:
    from reviewer.exchange.rows.declaration_file import read_definitions  # loads where somebody names a file

    return read_definitions(file, protocol, {entry.group for entry in incoming.entries})


def settled(database: Database, source: CheckedSource) -> CheckedSource:
    """The source with the generators that the dataset knows already, unless the person named another one.

    Unchanged content keeps its generator, whatever the name of the file. Other cases without a generator
    take the one of the dataset, if it has only one and came from this file.
    """
    if source.given:
        return source
    with database.read() as session:
        header = find_dataset(session, source.dataset.name)
        known = {place.key: place for place in places_of(session, source.dataset.name)}
    same = {key: old.generator for key, old in known.items()}
    entries = [
        _by(entry, same[entry.place.key]) if _is_same(entry, known.get(entry.place.key)) else entry
        for entry in source.incoming.entries
    ]
    kept = replace(source, incoming=replace(source.incoming, entries=tuple(entries)))
    generators = {place.generator for place in known.values() if place.origin != "seed"} or set(same.values())
    is_its_file = header is not None and header.source == source.dataset.source
    return kept.by(generators.pop()) if is_its_file and len(generators) == 1 else kept


def require_generator(source: CheckedSource) -> None:
    """Raise RequestError if nothing says who wrote some of the cases."""
    if source.lacks_generator:
        raise RequestError(
            f"nothing says who wrote cases of {source.dataset.source}; name the model with --generator, or "
            f'give --generator {HAND_WRITTEN} if people did, or --generator "{UNSTATED_GENERATOR}" if it is '
            "unknown."
        )


def renamed(before: CheckedSource, after: CheckedSource) -> str | None:
    """A notice if the dataset calls the generator by another name than the file does."""
    pairs = zip(before.incoming.entries, after.incoming.entries, strict=True)
    others = Counter(
        (old.place.generator, new.place.generator)
        for old, new in pairs
        if old.place.generator not in (UNKNOWN_GENERATOR, new.place.generator)
    )
    if not others:
        return None
    (said, kept), count = others.most_common(1)[0]
    return (
        f"{counted(count, 'case')} of generator {kept!r} keep this name, although {after.dataset.source} "
        f"says {said!r}; give --generator to change it"
    )


def _is_same(entry: Entry, old: Membership | None) -> bool:
    if old is None or entry.place.case != old.case:
        return False
    return entry.place.generator == UNKNOWN_GENERATOR or entry.place.origin == old.origin


def _by(entry: Entry, generator: str) -> Entry:
    written = {"generator": generator, "origin": origin_of(generator)}
    return entry.at(entry.place.model_copy(update=written))


def store_source(
    database: Database,
    source: CheckedSource,
    progress: Progress | None = None,
    *,
    replace: bool = False,
    over: str | None = None,
    importer: str = IMPORTER,
) -> ImportReport:
    """Put checked material into the store, with the generators that ``settled`` gives it.

    Raises RequestError if the generator of some cases is unknown, if the dataset is of another protocol,
    and, unless ``replace``, if cases would take the places of another generator's cases: that is more often
    a mistake in the name than intended. Raises it too if a place was revised or withdrawn, unless the author
    of the import, ``over``, is given: their import is then a revision itself.
    """
    require_generator(source)
    wanted, entries = source.dataset, source.incoming.entries
    _check_against_store(database, source, replace=replace)
    brought = source.known.withdrawn if source.known else frozenset()
    revising = RevisingImport(wanted, entries, over, brought)
    with database.read() as session:
        revising.check(session)
    declaring = DeclaringImport(wanted, source.declared, revising.append)
    counts = import_entries(database, wanted, entries, progress, declaring.save)
    withdrawn = _keep_known(database, source.known, importer) if source.known else 0
    if source.definitions:
        with database.write() as session:
            put_definitions(session, wanted.name, source.definitions)
    with database.read() as session:
        total = count_places(session, Filter(datasets=(wanted.name,)))
    return ImportReport(source, counts, total - len(entries), revising.count, withdrawn)


def _check_against_store(database: Database, source: CheckedSource, *, replace: bool) -> None:
    """Raise RequestError if the dataset that is there, a release or a declaration does not go with these."""
    wanted = source.dataset
    with database.read() as session:
        there = find_dataset(session, wanted.name)
        known = {place.key: place for place in places_of(session, wanted.name)}
        if source.known:
            refuse_other_seal(session, source.known.release)
        if source.declared:
            refuse_other_content(session, source.declared)
    if there is not None:
        _check_protocol(there, wanted)
    entries = source.incoming.entries
    _refuse_other_normalisation(wanted.name, known, entries)
    others = [
        old
        for entry in entries
        if (old := known.get(entry.place.key))
        and entry.place.case != old.case
        and entry.place.generator != old.generator
    ]
    if others and not replace:
        raise RequestError(
            f"dataset {wanted.name!r} has cases by {others[0].generator!r} at "
            f"{counted(len(others), 'place')} that {wanted.source} would take; "
            "import into a dataset of another name, or give --replace."
        )


def _refuse_other_normalisation(dataset: str, known: Collection[str], entries: Sequence[Entry]) -> None:
    """Raise RequestError for a new key that differs from a key of the dataset only in normalisation."""
    there = {unicodedata.normalize("NFC", key): key for key in known}
    for key in (entry.place.key for entry in entries if entry.place.key not in known):
        if (other := there.get(unicodedata.normalize("NFC", key))) is not None:
            raise RequestError(
                f"key {shown(key)!r} differs from a key of dataset {dataset!r} only in the code points of "
                f"the same letters; write it as there ({other!a})."
            )


def _check_protocol(there: Dataset, wanted: Dataset) -> None:
    """Raise RequestError if a dataset is of another protocol, or of a later version of a declared one."""
    if there.protocol == wanted.protocol:
        return
    name, _, version = there.protocol.partition("@")
    new_name, _, new_version = wanted.protocol.partition("@")
    if name != new_name or not (version and new_version):
        raise RequestError(
            f"dataset {wanted.name!r} is of protocol {there.protocol!r}, not {wanted.protocol!r}; "
            "choose another name."
        )
    if int(new_version) < int(version):
        raise RequestError(
            f"dataset {wanted.name!r} is of version {version} of protocol {name!r}, which is later than "
            f"{new_version}; choose another name, or give version {version}."
        )


def _keep_known(database: Database, known: "KnownOfRelease", importer: str) -> int:
    """Keep an imported release, and how it is cited unless somebody said otherwise here.

    Withdraw the cases that its makers withdrew, and return how many. A case that the release does not hold is
    withdrawn only if the dataset has an earlier version of the same release, so that the key means this case.
    """
    release = known.release
    with database.write() as session:
        earlier = any(
            before.name == release.name and before.seal != release.seal
            for before in releases_of(session, [release.dataset])
        )
        put_release(session, release)
        if citation_of(session, known.citation.dataset) is None:
            put_citation(session, known.citation)
        keys = known.withdrawn | (known.taken_out if earlier else frozenset())
        reason = f"withdrawn by the makers of release {release.name} {release.version}"
        return withdraw_unrevised(session, release.dataset, sorted(keys), author=importer, reason=reason)


def _checked_generator(name: str) -> str:
    if is_generator_name(name):
        return name
    raise RequestError(
        f"generator name {shown(name)!r} will not do; "
        f"give one line of at most {LONGEST_GENERATOR} characters with --generator."
    )


def _first_of(problems: Sequence[InputError]) -> str:
    """The first problems as the end of a sentence; "" if there are none."""
    said = "; ".join(f"{problem.where} {problem.wrong}" for problem in problems[:MOST_NAMED])
    more = f"; and {len(problems) - MOST_NAMED:,} more" if len(problems) > MOST_NAMED else ""
    return f" ({said}{more})" if said else ""
