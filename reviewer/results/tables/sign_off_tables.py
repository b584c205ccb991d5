"""Cases with the verdicts of experts on their present content."""

from reviewer.core.table_spec import TableSpec, plain_column
from reviewer.results.tables.place_columns import CASE, KEY
from reviewer.study.integrity.sign_off import CaseSignOff

SIGN_OFFS: TableSpec[CaseSignOff] = TableSpec(
    (
        plain_column("dataset", "string", "name of the dataset", lambda row: row.place.dataset, "dataset"),
        plain_column("key", "string", KEY, lambda row: row.place.key, "key"),
        plain_column(
            "record", "integer", "number of the case in its file, from 1", lambda row: row.record, "record"
        ),
        plain_column(
            "state",
            "string",
            "signed off; too few verdicts; changed since: other content was reviewed at this place; "
            "published answer changed since: it is not that of the dataset of the study; never reviewed: the "
            "place is in no sample",
            lambda row: row.state,
            "state",
        ),
        plain_column(
            "labels",
            "integer",
            "the least number of fresh labels that a question about the case has",
            lambda row: row.verdicts,
            "labels",
        ),
        plain_column("digest", "string", CASE, lambda row: row.place.case),
    ),
    keys=2,
)
"""One row for each case."""
