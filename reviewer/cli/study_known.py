"""``reviewer study known``: lines to fill in with known answers."""

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.core.table import Table
from reviewer.exchange.rows.study_inputs import BEGINS, COLUMNS
from reviewer.options.study import StudyKnownOptions
from reviewer.protocols.altered_case import headline_of
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import protocols_of
from store.cases import Filter, get_dataset, list_places


def study_known_command(options: StudyKnownOptions) -> None:
    """Carry out ``reviewer study known``."""
    database = open_store(options.store)
    protocols = protocols_of(database)
    with database.read() as session:
        protocol = protocols.named(get_dataset(session, options.dataset).protocol)
        places = list_places(session, Filter((options.dataset,)))
    lines = [
        (place.dataset, place.key, question.key, "", "", headline_of(protocols, case))
        for question in protocol.questions
        for place, case in places
        if question.answer_kind.is_label and protocol.asks(question, case)
    ]
    print_table(Table.of((*COLUMNS, BEGINS), lines), "csv")
    note(f"Fill in label and why; labels are: {_labels_in_words(protocol)}.")


def _labels_in_words(protocol: Protocol) -> str:
    labelled = (question for question in protocol.questions if question.answer_kind.is_label)
    return "; ".join(f"{question.key} {' or '.join(question.labels)}" for question in labelled)
