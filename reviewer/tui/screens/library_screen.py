"""The entries of a library with their evidence; from an entry to its changed items, and to one of these."""

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from reviewer.core.number_text import number, p_value, with_interval
from reviewer.core.pane import Sheet
from reviewer.core.sanitize import counted
from reviewer.protocols.altered_case import headline_of, panes_of
from reviewer.protocols.registry import protocols_of
from reviewer.runs.library_entries import (
    EvidenceRow,
    Library,
    LibraryEntry,
    PlacedItem,
    changed_items,
    read_library,
)
from reviewer.study.session.blinding import why_not_outcomes
from reviewer.study.session.rater_progress import study_progress
from reviewer.tui.in_background import in_background
from reviewer.tui.rendering.literal import literal, literal_line
from reviewer.tui.screens.case_screen import CaseScreen, ShownItem
from reviewer.tui.screens.list_screen import ListBesideTextScreen, ListScreen
from reviewer.tui.widgets.item_list import ItemList, ListedLines
from store.cases import get_measurements
from store.database import Database

_LONGEST, _DIGITS = 80, 2


class LibraryScreen(ListBesideTextScreen):
    """Entries at the left, what is known of the highlighted one at the right."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "back", id="library.leave", tooltip="Go back to the home screen")
    ]

    def __init__(self, database: Database, dataset: str, person: str) -> None:
        super().__init__()
        self._database, self._dataset, self._person = database, dataset, person
        self._library: Library | None = None

    def on_mount(self) -> None:
        """Read the library."""
        self.put_head(f"{self._dataset} · reading the library …")
        in_background(self, "library", self._read, self._list, lambda error: self._list(f"✗ {error}"))

    def _read(self) -> Library | str:
        """The entries, or why this person may not see the evidence."""
        studies = study_progress(self._database)
        if why_not := why_not_outcomes(self._database, studies, self._person, [self._dataset]):
            return why_not
        return read_library(self._database, protocols_of(self._database), self._dataset)

    def _list(self, library: Library | str) -> None:
        """List the entries, or say why they are not shown."""
        self._library = None if isinstance(library, str) else library
        entries = self._entries
        number_of = "1 entry" if len(entries) == 1 else f"{len(entries):,} entries"
        self.put_head(library if isinstance(library, str) else f"{self._dataset} · {number_of}")
        self.query_one(ItemList).show([ListedLines(2, partial(_item, entry)) for entry in entries], 0)
        self.query_one(ItemList).focus()
        self.put_keys([("library.leave", "back")], enter="its changed items" if entries else "")
        self.draw_text()

    @property
    def _entries(self) -> Sequence[LibraryEntry]:
        return self._library.entries if self._library else ()

    def on_option_list_option_selected(self) -> None:
        """Open the changed items of the highlighted entry."""
        entry = self.query_one(ItemList).chosen_of(self._entries)
        if self._library is not None and entry is not None:
            self.app.push_screen(ChangedItemsScreen(self._database, self._library, entry, self._person))

    def text(self) -> Content:
        """What is known of the highlighted entry."""
        entry = self.query_one(ItemList).chosen_of(self._entries)
        return _whole(entry) if entry else literal("There is no entry to show.")


def _item(entry: LibraryEntry) -> Content:
    """Two lines: the name and where the entry is from; its error before and after."""
    first = next(iter(entry.rows))
    known = "no evidence"
    if first.evidence is not None:
        known = f"{number(first.before, _DIGITS)} → {number(first.after, _DIGITS)} · {_items(first)}"
    head = Content.assemble(
        literal_line(entry.name, _LONGEST, "bold"),
        "  ",
        literal_line(entry.case.group, _LONGEST, "$foreground 70%"),
    )
    return Content("\n").join([head, literal_line(known, _LONGEST, "$foreground 60%")])


def _items(row: EvidenceRow) -> str:
    return counted(row.evidence.items, "item") if row.evidence else ""


def _whole(entry: LibraryEntry) -> Content:
    """The definition, the evidence of each judge, the origin of the entry, and entries merged into it."""
    record, muted = entry.record, "bold $foreground 60%"
    lines = [literal(entry.name, "bold"), literal(entry.definition)]
    for row in entry.rows:
        lines += [Content(""), *_evidence(row)]
    if record.origin is not None:
        supporting = counted(len(record.origin.keys), "changed item")
        lines += [Content(""), literal("found in", muted), literal(f"{entry.found_in} · {supporting}")]
    if record.decision is not None:
        lines += [Content(""), literal(record.decision.result, muted), literal(record.decision.why)]
    if record.merged:
        lines += [Content(""), literal("merged into it", muted)]
    for merged in record.merged:
        lines += [literal(merged.name, "bold"), literal(merged.definition), literal(merged.why)]
    if entry.unread:
        unread = ", ".join(entry.unread)
        lines += [Content(""), literal(f"{unread} cannot be read and was left out.", "italic")]
    return Content("\n").join(lines)


def _evidence(row: EvidenceRow) -> list[Content]:
    """The error before and after, and the items that changed; or that there is no evidence."""
    shown = row.evidence
    if shown is None:
        return [literal("No evidence is stored with this entry.", "$foreground 60%")]
    before, after = (with_interval(estimate, _DIGITS) for estimate in (row.before, row.after))
    p = shown.p_adjusted if shown.p_adjusted is not None else shown.p
    corrected = ", after Holm's correction" if shown.p_adjusted is not None else ""
    turned = f"{shown.turned_wrong:,} turned wrong, {shown.turned_right:,} turned right"
    return [
        literal(f"{shown.judge} on {shown.dataset} · {_items(row)}", "bold $foreground 60%"),
        literal(f"error before  {before}"),
        literal(f"error after   {after}"),
        literal(f"discordant    {turned} (McNemar's exact p {p_value(p)}{corrected})"),
    ]


class ChangedItemsScreen(ListScreen):
    """The changed items of an entry; enter opens one."""

    def __init__(self, database: Database, library: Library, entry: LibraryEntry, person: str) -> None:
        super().__init__("its texts and the judge's reasons", self._open)
        self._database, self._library, self._entry, self._person = database, library, entry, person
        self._items: Sequence[PlacedItem] = ()

    def on_mount(self) -> None:
        """Read the items in the background."""
        self.show_items(self._entry.name, (), nothing="Reading the changed items …")
        in_background(self, "items", self._read, self._list, lambda error: self._list(((), f"✗ {error}")))

    def _read(self) -> tuple[Sequence[PlacedItem], str | None]:
        """The items, or why this person may not see them: some of them are theirs to answer about."""
        items = changed_items(self._database, self._library, self._entry)
        datasets = sorted({place.dataset for place, _ in items})
        why_not = why_not_outcomes(self._database, study_progress(self._database), self._person, datasets)
        return () if why_not else items, why_not

    def _list(self, read: tuple[Sequence[PlacedItem], str | None]) -> None:
        """List them."""
        self._items, why_not = read
        head = f"{self._entry.name} · {counted(len(self._items), 'changed item')}"
        nothing = why_not or "No changed item of this entry is in the store."
        self.show_items(
            head, [ListedLines(2, partial(self._lines, item)) for item in self._items], 0, nothing
        )

    def _lines(self, item: PlacedItem) -> Content:
        place, case = item
        headline = headline_of(protocols_of(self._database), case)
        said = f"{place.key} · {place.dataset} · {place.generator}"
        return Content("\n").join(
            [literal_line(said, 120, "bold"), literal_line(headline, 160, "$foreground 60%")]
        )

    def _open(self, index: int) -> None:
        self.app.push_screen(ChangedItemScreen(self._database, self._items, index))


class ChangedItemScreen(CaseScreen):
    """Changed items one after the other, each with everything that is known of it."""

    def __init__(self, database: Database, items: Sequence[PlacedItem], index: int) -> None:
        super().__init__(len(items), index, self._shown)
        self._database, self._items = database, items

    def _shown(self, index: int) -> ShownItem:
        """The item with all its panes."""
        place, case = self._items[index]
        return ShownItem(
            index,
            f"{index + 1:,} of {len(self._items):,} · {place.key} · {case.group} · {place.generator}",
            headline_of(protocols_of(self._database), case),
            (),
            lambda width: self._sheet(),
        )

    def _sheet(self) -> Sheet:
        """What a model said of the item and the answers it saw first, then all else."""
        place, case = self._items[self.index]
        protocols = protocols_of(self._database)
        with self._database.read() as session:
            values = get_measurements(session, [case.digest])[case.digest]
        here = [value for value in values if not value.came_with_place or value.is_at(place)]
        panes = panes_of(protocols, case, here)
        protocol = protocols.named(case.protocol)
        asking = protocol.questions_with_values
        shown = [key for question in protocol.questions if question.key in asking for key in question.shows]
        by_key = {pane.key: pane for pane in panes}
        first = tuple(by_key[key] for key in shown if key in by_key) or tuple(panes)
        return Sheet(first, tuple(pane for pane in panes if pane not in first))
