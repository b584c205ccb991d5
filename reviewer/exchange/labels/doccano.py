"""doccano's exports as JSON Lines and JSON: a file for each rater, with a list of labels for each text."""

from collections.abc import Iterator, Mapping

from reviewer.exchange.labels.foreign_label import (
    ForeignLabel,
    ForeignRecord,
    LabelFormat,
    LabelledItem,
    LeftOut,
    ReadAs,
    RecordPart,
    label_texts,
    name_of,
    objects_in,
    values_in,
)
from reviewer.exchange.labels.label_table import names_a_rater

_LABELS = ("label", "labels", "cats")
_TEXTS = ("text", "data", "filename")
_NONE_CHOSEN = (
    "with an empty list of labels, which doccano also writes where nobody answered; "
    "export approved documents only to tell them apart"
)


class Doccano(LabelFormat):
    """``id`` is the tool's own number of a text."""

    tool = "doccano"
    own_numbers = ("id",)

    def recognises(self, record: ForeignRecord) -> bool:
        """A list of labels beside a text, and no rater."""
        has_list = any(isinstance(record.get(name), list) for name in (*_LABELS, "annotations"))
        return has_list and any(name in record for name in _TEXTS) and not names_a_rater(record)

    def parts(self, record: ForeignRecord, item: LabelledItem) -> Iterator[RecordPart]:
        """The labels of a text; spans are left out."""
        if isinstance(record.get("annotations"), list):
            yield from _by_annotation(objects_in(record["annotations"], item.where), item)
            return
        labels = values_in(next((record[name] for name in _LABELS if name in record), None), item.where)
        whole = [label for label in labels if not isinstance(label, list | Mapping)]
        yield from (LeftOut("span") for _ in range(len(labels) - len(whole)))
        if labels and not whole:
            return
        if not labels:
            yield ReadAs(_NONE_CHOSEN)
        yield ForeignLabel(
            item.where, item, None, None, label_texts(whole, item.where), comment=_comments(record)
        )


def _by_annotation(annotations: list[ForeignRecord], item: LabelledItem) -> Iterator[RecordPart]:
    """Earlier releases write each label with the number of its rater."""
    chosen: dict[str | None, list[str]] = {}
    for annotation in annotations:
        if "start_offset" in annotation:
            yield LeftOut("span")
        else:
            label = annotation.get("label", annotation.get("text"))
            chosen.setdefault(name_of(annotation.get("user")), []).extend(label_texts(label, item.where))
    for rater, labels in chosen.items():
        yield ForeignLabel(item.where, item, rater, None, tuple(labels))


def _comments(record: ForeignRecord) -> str:
    comments = record.get("Comments")
    return "\n".join(str(one) for one in comments) if isinstance(comments, list) else ""
