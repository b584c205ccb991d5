"""How many verdicts each rater has given, counted by the database because lists show it often."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.core.question import Question


@dataclass(frozen=True, slots=True)
class VerdictCount:
    """A rater's numbers of first verdicts, skipped slots, first verdicts in training, and second verdicts."""

    labelled: int
    skipped: int
    training: int = 0
    second: int = 0


NOTHING_YET = VerdictCount(0, 0)


def verdict_counts(
    ask: Callable[[str, Mapping[str, Any]], Iterable[Sequence[Any]]],
    questions: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    on_server: bool = False,
) -> dict[tuple[str, str], VerdictCount]:
    """(study, rater) → counts, without events that came after a closing.

    ``questions`` has those of each study to count; ``ask`` runs a statement with its values.
    """
    if not questions:
        return {}
    answers, values = _answers(questions)
    elements = "json_array_elements_text" if on_server else "json_each"
    rows = ask(_COUNTS.format(answers=answers, elements=elements), values)
    return {
        (study, rater): VerdictCount(
            labelled=int(done), skipped=int(put_off), training=int(trained), second=int(again)
        )
        for study, rater, put_off, done, trained, again in rows
    }


def _answers(questions: Mapping[str, Sequence[Mapping[str, Any]]]) -> tuple[str, dict[str, str]]:
    """SQL: whether an event answers a question of its study with one of its labels; and the values in it.

    SQL finds neither altered events nor sets of labels and texts that do not fit. They are found when events
    are read one by one.
    """
    conditions: list[str] = []
    values: dict[str, str] = {}
    for number, (study, stored) in enumerate(questions.items()):
        asked = [Question.model_validate(question) for question in stored]
        labels = sorted({label for question in asked for label in question.labels})
        named = {f"s{number}": study}
        keys = {f"s{number}_q{index}": question.key for index, question in enumerate(asked)}
        own = {
            name: key
            for name, key in keys.items()
            if key in {q.key for q in asked if not q.answer_kind.is_label}
        }
        allowed = {f"s{number}_l{index}": label for index, label in enumerate(labels)}
        conditions.append(
            f"(study = :s{number} AND question IN ({_places(keys)})"
            f" AND (value IS NULL OR value IN ({_places(allowed)}) OR question IN ({_places(own)})))"
        )
        values |= named | keys | allowed
    return " OR ".join(conditions), values


def _places(values: Iterable[str]) -> str:
    return ", ".join(f":{name}" for name in values) or "NULL"


# A superseding event has a greater id, so the greatest id of a slot is the current one. A valid id has 32
# digits, the first below 8, so what stands behind an id is that of the greatest one: no second look at the
# ledger is needed. An event counts if its study is open, or held it when it was closed.
_COUNTS = """
WITH closings AS (
    SELECT study, held FROM study_acts
    WHERE kind = 'close'
      AND id IN (SELECT max(id) FROM study_acts WHERE kind IN ('close', 'reopen') GROUP BY study)
), newest AS (
    SELECT study, rater, "case", phase,
        max(id || CASE WHEN kind = 'skip' THEN 's' ELSE '-' END
            || CASE WHEN value IS NULL THEN '-' ELSE 'v' END) AS last
    FROM events
    WHERE kind IN ('label', 'undo', 'skip') AND length(id) = 32 AND id < '8' AND ({answers})
      AND (study NOT IN (SELECT study FROM closings)
           OR id IN (SELECT held.value FROM closings, {elements}(closings.held) AS held))
    GROUP BY study, rater, "case", question, showing, phase
), by_case AS (
    SELECT study, rater, "case",
        sum(CASE WHEN substr(last, 33, 1) = 's' THEN 1 ELSE 0 END) AS skipped,
        sum(CASE WHEN substr(last, 34, 1) = 'v' AND phase = 'before' THEN 1 ELSE 0 END) AS first,
        sum(CASE WHEN substr(last, 34, 1) = 'v' AND phase = 'after' THEN 1 ELSE 0 END) AS second
    FROM newest
    GROUP BY study, rater, "case"
)
SELECT by_case.study, by_case.rater, sum(by_case.skipped), sum(by_case.first),
    sum(CASE WHEN study_cases.role = 'training' THEN by_case.first ELSE 0 END), sum(by_case.second)
FROM by_case
JOIN study_cases ON study_cases.study = by_case.study AND study_cases."case" = by_case."case"
GROUP BY by_case.study, by_case.rater
"""
