"""Files of labels of every tool, with values exchanged and texts cut: labels that fit, or a sentence.

What is stored comes back as it is, and every event that was written fits its study.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import Any

from reviewer.core.errors import ReviewerError
from reviewer.exchange.labels.foreign_files import read_foreign_labels
from reviewer.exchange.labels.foreign_label import TOOLS, LabelFields
from reviewer.exchange.labels.label_booking import BookingOptions, match_labels, store_labels
from reviewer.study.design.study_bundle import load_study
from reviewer.study.integrity.quarantine import read_study
from store.database import Database
from tests.fuzz.harness import Attempt, Case, Wrong, check_sentence
from tests.fuzz.mutations import changed_value, mutated_text
from tests.teas import tea, tea_study

_CHOICE = {"from_name": "fits", "type": "choices", "value": {"choices": ["yes"]}}
_STATE = {"1": [[{"schema": "fits", "name": "yes"}, True], [{"schema": "tags", "name": "hot"}, "hot"]]}
_OWN = {"rater": "anna", "showing": 0, "phase": "before", "state": "labelled", "label": "yes", "key": "1"}
RECORDS: tuple[Mapping[str, Any], ...] = (
    {
        "id": 7,
        "data": {"key": "1", "text": tea(1)},
        "annotations": [{"completed_by": {"id": 1, "email": "a@x"}, "result": [_CHOICE]}],
        "predictions": [{"result": []}],
    },
    {"id": 7, "key": "1", "fits": "yes", "grade": [{"rating": 3}], "annotator": 1, "annotation_id": 2}
    | {"lead_time": 1.5},
    {"meta": {"id": "1"}, "accept": [0], "options": [{"id": 0, "text": "hot"}], "answer": "accept"}
    | {"_annotator_id": "set-anna", "_task_hash": 1},
    {"id": "1", "responses": {"fits": [{"value": "yes", "user_id": "u"}]}, "suggestions": {"fits": {}}},
    {
        "id": "1",
        "tags.responses": [["hot"]],
        "tags.responses.users": ["u"],
        "tags.responses.status": ["draft"],
    },
    {"external_id": "1", "responses": [{"user_id": "u", "status": "submitted", "values": {"fits": "yes"}}]},
    {"id": "1", "user_id": "u", "label_annotations": {"fits": {"yes": "yes"}, "why": {"text_box": "so"}}},
    {"user_id": "u", "instance_id_to_label_to_value": _STATE},
    {"id": 7, "text": tea(1), "label": ["hot"], "Comments": ["hm"]},
    {"id": 7, "text": tea(1), "annotations": [{"label": "hot", "user": 2}]},
    _OWN | {"question_key": "fits", "event_digest": "", "comment": "hm", "flagged": True, "passage": "{}"},
    {"item": "1", "annotator": "anna", "question": "grade", "label": 4.0},
    {"key": "1", "anna": "yes", "ben": "no", "question": "fits"},
)
TABLES = (
    "item,annotator,question,label\n1,anna,fits,yes\n2,ben,grade,3\n",
    "key;anna;ben\n1;yes;\n2;no;NA\n",
    "key\trater\tfits\ttags\n1\tanna\tyes\thot; cold\n",
)
NAMES = (
    "id",
    "key",
    "label",
    "rater",
    "responses",
    "annotations",
    "data",
    "result",
    "value",
    "accept",
    "text",
)
PIECES = (",", ";", "\n", '"', "'", "[]", "label", "rater", "\0", "\ufeff", "1", "anna", "=", "\u0430nna")


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """One study whose questions are of every kind, which takes what fits."""
    with closing(tea_study(folder)) as database:
        yield lambda case: _attempt(case, database)


def _attempt(case: Case, database: Database) -> None:
    path = _written(case)
    options = _options(case.random)
    try:
        bundle = load_study(database, "tea")
        foreign = read_foreign_labels(path, tool=_tool(case.random), fields=_fields(case.random))
        matched = match_labels(bundle, foreign, options)
    except ReviewerError as error:
        check_sentence(str(error))
        return
    for sentence in (*map(str, matched.problems), *matched.notices):
        check_sentence(sentence)
    if matched.problems or not matched.count:
        return
    store_labels(database, bundle, matched)
    again = store_labels(database, load_study(database, "tea"), matched)
    if again.new or again.changed or again.comments:
        raise Wrong(f"labels that are current already changed something: {again}")
    if left_out := read_study(database, "tea")[0].left_out:
        raise Wrong(f"an event was written that does not fit: {left_out[0]}")


def _written(case: Case) -> Path:
    random = case.random
    if random.random() < 0.3:
        name, text = "a.csv", mutated_text(random, random.choice(TABLES), TABLES, PIECES)
    else:
        records = [
            changed_value(random, random.choice(RECORDS), NAMES) for _ in range(random.choice((1, 1, 2, 4)))
        ]
        name = random.choice(("a.json", "a.jsonl", "set.jsonl"))
        text = json.dumps(records) if name == "a.json" else "\n".join(map(json.dumps, records))
        if random.random() < 0.1:
            text = mutated_text(random, text, TABLES, PIECES)
    case.keep(name, text)
    (case.folder / name).write_text(text, encoding="utf-8", errors="surrogatepass")
    return case.folder / name


def _tool(random: Random) -> Any:
    return random.choice((None, None, None, None, *TOOLS))


def _fields(random: Random) -> LabelFields:
    named = [random.choice((None, None, None, None, *NAMES)) for _ in range(4)]
    raters = random.choice(((), (), ("anna", "ben")))
    return LabelFields(*named, raters, frozenset({"fits", "grade", "tags", "why"}))


def _options(random: Random) -> BookingOptions:
    renamed = random.choice((None, None, {"1": "anna"}, {"yes": "no"}, {"\u0430nna": "\u0430nna"}))
    question = random.choice((None, "fits", "tags", "why"))
    return BookingOptions(
        random.choice((None, "anna")), question, renamed, random.random() < 0.8, random.random() < 0.3
    )
