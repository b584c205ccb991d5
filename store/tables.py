"""The tables: the records with names, keys, indexes and checks, which only a database needs.

Those of studies and runs are in modules of their own: each table takes some milliseconds to load.
"""

from collections.abc import Iterator
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import ConfigDict
from sqlalchemy import CheckConstraint, Column, ColumnElement, Index, Table, Text, UniqueConstraint
from sqlalchemy.schema import SchemaItem
from sqlmodel import Field, SQLModel

from store import records
from store.records import Record

R = TypeVar("R", bound=Record)
TABLES: list[type[Record]] = []
"""The tables of the modules that were loaded."""


def table_of(
    record: type[R], name: str, *items: SchemaItem, numbered: bool = False, unmapped: tuple[str, ...] = ()
) -> type[R]:
    """The class of a table that keeps records: their fields as columns, with constraints and indexes.

    Rows are ``numbered`` where no field is a key. ``unmapped`` columns are not fields of the record.
    """
    content: dict[str, Any] = {
        "__module__": __name__,
        "__tablename__": name,
        "__table_args__": (*items, *_checks(record)),
        "__mapper_args__": {"exclude_properties": unmapped},
        "model_config": ConfigDict(frozen=False),
    }
    if numbered:
        content |= {"__annotations__": {"id": int | None}, "id": Field(default=None, primary_key=True)}
    make: Any = type(SQLModel)
    table: type[R] = make(f"{record.__name__}Row", (record,), content, table=True)
    TABLES.append(table)
    return table


def record_of(table: type[R]) -> type[R]:
    """The record that a table keeps."""
    record: type[R] = table.__bases__[0]
    return record


def in_database(table: type[Record]) -> Table:
    """The table as the database knows it."""
    mapped: Any = table
    held: Table = mapped.__table__
    return held


def _checks(record: type[Record]) -> Iterator[CheckConstraint]:
    """For each field that holds one of some labels, the check that its column holds one of them."""
    for name, field in record.model_fields.items():
        kinds = (field.annotation, *get_args(field.annotation))
        for kind in kinds:
            if get_origin(kind) is Literal:
                labels = ", ".join(f"'{label}'" for label in get_args(kind))
                yield CheckConstraint(f"{name} IN ({labels})", name=f"{name}_is_known")


def number_of(table: type[Record]) -> ColumnElement[int]:
    """The column that numbers the rows of a table, in the order in which they were added."""
    numbered: Any = table
    number: ColumnElement[int] = numbered.id
    return number


DatasetRow = table_of(records.Dataset, "datasets")
"""Datasets by name."""
CaseRow = table_of(records.Case, "cases")
"""Cases by digest."""
MembershipRow = table_of(
    records.Membership,
    "memberships",
    Column("raw", Text),
    Index("memberships_by_position", "dataset", "position"),
    unmapped=("raw",),
)
"""Places in datasets. ``raw`` is the record of the imported file as JSON text, if it was stored.

    ``raw`` is not a field of the record, because it is as long as the case and only needed for export.
    """
MeasurementRow = table_of(
    records.Measurement,
    "measurements",
    UniqueConstraint(
        "case", "name", "variant", "source", "dataset", "key", "engine", "program", name="one_value"
    ),
    numbered=True,
)
"""Measured and published values, one for each name, variant and origin."""
FindingRow = table_of(
    records.Finding,
    "findings",
    UniqueConstraint("case", "check", "check_version", name="one_result"),
    numbered=True,
)
"""Results of checks, one for each case, check and version."""
DismissalRow = table_of(records.Dismissal, "dismissals")
"""Findings that were dismissed."""
DatasetDismissalRow = table_of(records.DatasetDismissal, "dataset_dismissals")
"""Dismissals of findings about datasets. Triggers refuse to change or delete its rows."""
RevisionRow = table_of(
    records.Revision,
    "revisions",
    Index("revisions_by_place", "dataset", "key"),
)
"""Revisions. Triggers (see append_only) refuse to change or delete its rows."""
TodoRow = table_of(records.Todo, "todos")
"""Things to do about cases."""
ComplaintRow = table_of(records.Complaint, "complaints")
"""What readers reported. Triggers refuse to change or delete its rows."""
CitationRow = table_of(records.Citation, "citations")
"""Licences, authors and contacts of datasets."""
DatasetDescriptionRow = table_of(records.DatasetDescription, "dataset_descriptions")
"""What the authors of datasets say for releases."""
ReleaseRow = table_of(
    records.Release,
    "releases",
)
"""Releases that were made here, and those that datasets were imported from."""
DeclarationRow = table_of(records.KeptDeclaration, "declarations")
"""Declared protocols by name and version."""
GroupDefinitionRow = table_of(records.GroupDefinition, "group_definitions")
"""Definitions of groups that came with datasets."""
EmbeddingRow = table_of(records.Embedding, "embeddings")
"""Vectors of texts. They can be deleted and are then computed again."""
