"""Declared protocols that the store keeps, and the definitions of groups that came with datasets."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from sqlalchemy import insert
from sqlmodel import Session, col

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import shown
from store.records import Dataset, GroupDefinition, KeptDeclaration
from store.row_records import records, select_as
from store.tables import DatasetRow, DeclarationRow, GroupDefinitionRow


def refuse_other_content(session: Session, declaration: KeptDeclaration) -> bool:
    """Whether the declaration is kept already; raises RequestError if its version has other content here."""
    row = session.get(DeclarationRow, (declaration.name, declaration.version))
    if row is not None and row.digest != declaration.digest:
        raise RequestError(
            f"version {declaration.version} of protocol {declaration.name!r} is in the store with other "
            f"content (since {row.kept_at[:10]}); a version never changes, so give the new content "
            f"version = {declaration.version + 1} in [protocol]."
        )
    return row is not None


def keep_declaration(session: Session, declaration: KeptDeclaration) -> None:
    """Keep a declared protocol; raises RequestError if its version has other content here."""
    if not refuse_other_content(session, declaration):
        session.execute(insert(DeclarationRow), declaration.model_dump())


@dataclass(frozen=True, slots=True)
class DeclaringImport:
    """What an import keeps beside its cases: the ``declaration`` of their protocol, if it came along.

    An existing dataset is put under the imported version. ``first`` saves before that.
    """

    dataset: Dataset
    declaration: KeptDeclaration | None
    first: Callable[[Session], None]

    def save(self, session: Session) -> None:
        """Save it, within the transaction of the import."""
        self.first(session)
        if self.declaration:
            keep_declaration(session, self.declaration)
        row = session.get(DatasetRow, self.dataset.name)
        if row is not None and row.protocol != self.dataset.protocol:
            session.add(row.sqlmodel_update({"protocol": self.dataset.protocol}))


def definitions_of(session: Session, datasets: Iterable[str]) -> dict[str, dict[str, str]]:
    """The definitions that came with these datasets: dataset → group → definition."""
    wanted = select_as(GroupDefinition, GroupDefinitionRow)
    definitions: dict[str, dict[str, str]] = {dataset: {} for dataset in datasets}
    here = wanted.where(col(GroupDefinitionRow.dataset).in_(list(definitions)))
    for row in records(session, GroupDefinition, here.order_by(col(GroupDefinitionRow.group))):
        definitions[row.dataset][row.group] = row.definition
    return definitions


def joined_definitions(given: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The definitions of several datasets (dataset → group → definition) as one mapping.

    Raises RequestError if two datasets define a group in different words.
    """
    first: dict[str, tuple[str, str]] = {}
    for dataset, definitions in given.items():
        for group, definition in definitions.items():
            earlier, words = first.setdefault(group, (dataset, definition))
            if words != definition:
                raise RequestError(
                    f"the datasets {earlier!r} and {dataset!r} define {shown(group)!r} in different words; "
                    "import one of them again with --groups, or keep them apart."
                )
    return {group: definition for group, (_, definition) in first.items()}


def put_definitions(session: Session, dataset: str, definitions: Mapping[str, str]) -> None:
    """Keep definitions of groups with a dataset, in the place of earlier ones of the same groups."""
    for group, definition in definitions.items():
        session.merge(GroupDefinitionRow(dataset=dataset, group=group, definition=definition))
