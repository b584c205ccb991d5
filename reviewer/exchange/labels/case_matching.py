"""Which case of a study a record of another tool is about: its key and its texts must name the same one."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property

from reviewer.core.errors import InputError
from reviewer.core.sanitize import shown
from reviewer.exchange.labels.foreign_label import KeyCandidate, LabelledItem
from reviewer.exchange.sheets.sheet_import import unguarded_text
from reviewer.study.design.study_bundle import StudyBundle

_NAME_IT = "name the field that holds the key of a case with --key-field"
_DIGEST = re.compile(r"[0-9a-f]{64}")


class CaseMatching:
    """What a study knows its cases by."""

    def __init__(self, bundle: StudyBundle) -> None:
        self._bundle = bundle
        self._named: dict[str, set[str]] = defaultdict(set)
        for place in bundle.sample:
            for name in (place.key, place.case, f"{place.dataset}:{place.key}"):
                self._named[name].add(place.case)

    def case_of(self, item: LabelledItem) -> str:
        """The digest of the case that a record is about; raises InputError unless exactly one fits."""
        named = [(key, cases) for key in item.keys if (cases := self._cases_of(key, item))]
        if not named and any(not key.own_number for key in item.keys):
            raise self._unknown(item)
        carried = self._carried(item)
        cases = self._common(item, named, carried) if named else self._with_texts(item, carried)
        if len(cases) > 1:
            raise InputError(item.where, f"has a key of {len(cases)} cases", "add a column dataset")
        case = next(iter(cases))
        self._check_wording(item, case)
        return case

    def _common(
        self,
        item: LabelledItem,
        named: Sequence[tuple[KeyCandidate, set[str]]],
        carried: Mapping[str, set[str]],
    ) -> set[str]:
        """The cases that all keys of a record name and all its texts belong to."""
        fields = [repr(key.field) for key, _ in named]
        cases = set.intersection(*(cases for _, cases in named))
        if not cases:
            raise InputError(item.where, f"names different cases in {' and '.join(fields)}", _NAME_IT)
        if not (cases := cases.intersection(*carried.values())):
            wrong = f"names one case in {fields[0]}, and {next(iter(carried))!r} is a text of another"
            raise InputError(item.where, wrong, _NAME_IT)
        if not carried and all(key.own_number for key, _ in named):
            wrong = f"is matched only by the number that the tool itself gave it ({fields[0]})"
            raise InputError(
                item.where, wrong, f"{_NAME_IT}; if it is this one, give --key-field {fields[0]}"
            )
        return cases

    def is_by_text(self, item: LabelledItem) -> bool:
        """Whether a record was matched by its texts alone."""
        return not any(self._cases_of(key, item) for key in item.keys)

    def _cases_of(self, key: KeyCandidate, item: LabelledItem) -> set[str]:
        if _DIGEST.fullmatch(key.value) and key.value not in self._named:
            wrong = f"is about content {key.value[:12]}…, which no case of the study has"
            raise InputError(item.where, wrong, "give labels of the same content, or leave it out")
        name = f"{item.dataset}:{key.value}" if item.dataset else key.value
        return (
            self._named.get(name)
            or self._named.get(key.value if _DIGEST.fullmatch(key.value) else "")
            or set()
        )

    def _unknown(self, item: LabelledItem) -> InputError:
        key = next(key for key in item.keys if not key.own_number)
        name = f"{item.dataset}:{key.value}" if item.dataset else key.value
        return InputError(
            item.where, f"has the key {shown(name)!r}, which is not a case of the study", _NAME_IT
        )

    def _carried(self, item: LabelledItem) -> dict[str, set[str]]:
        """The fields of a record that hold a text of the study's cases, each with these cases."""
        texts = ((field, self._by_text.get(unguarded_text(text))) for field, text in item.texts)
        return {field: cases for field, cases in texts if cases}

    @cached_property
    def _by_text(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for case in self._bundle.cases.values():
            for text in case.payload.values():
                if isinstance(text, str):
                    found[unguarded_text(text)].add(case.digest)
        return dict(found)

    def _with_texts(self, item: LabelledItem, carried: Mapping[str, set[str]]) -> set[str]:
        """The case with the texts of a record that has no key."""
        cases = set[str]().union(*list(carried.values())[:1]).intersection(*carried.values())
        if not cases:
            wrong = "has no key" + (", and no case of the study has its text" if item.texts else "")
            raise InputError(item.where, wrong, _NAME_IT)
        if len(cases) > 1:
            raise InputError(item.where, f"has no key, and its text is that of {len(cases)} cases", _NAME_IT)
        return cases

    def _check_wording(self, item: LabelledItem, case: str) -> None:
        """Raise InputError if a field is named as one of the case and holds another text."""
        payload = self._bundle.cases[case].payload
        for field, text in item.texts:
            own = payload.get(field)
            if isinstance(own, str) and unguarded_text(own) != unguarded_text(text):
                wrong = f"{shown(field)!r} is not the text of {self._key(case)}"
                remedy = f"{_NAME_IT}, or leave that field out if the wording does not matter"
                raise InputError(item.where, wrong, remedy)

    def _key(self, case: str) -> str:
        place = self._bundle.places[case]
        return f"{shown(place.dataset)}:{shown(place.key)}"
