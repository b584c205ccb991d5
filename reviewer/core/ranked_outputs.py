"""Rankings of outputs: the kind of answer that puts all labels in an order, ties allowed.

Rankings are texts: as the ledger keeps them, as people write them, and made from numbers that are ranks.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from reviewer.core.kind_of_answer import FEWEST_LABELS, KindOfAnswer
from reviewer.core.sanitize import enumerated, one_line, shown

if TYPE_CHECKING:
    from reviewer.core.question import Question


Ranking = tuple[tuple[str, ...], ...]
"""Groups of tied outputs, the best first."""
BEFORE, TIED = ">", "="
_SIGNS = re.compile(r"([>=≻~])")
_TIES = ("=", "~")
_RANKED = re.compile(r"^(.+?)\s*:\s*([0-9]+(?:\.[0-9]+)?)$")
_LISTED = re.compile(r"[;,]")
_HOW = "ties share a rank, as 1, 1, 2 or 1, 1, 3 do"


def ranking_text(ranking: Ranking, outputs: Sequence[str]) -> str:
    """A ranking as the ledger keeps it: a JSON list of groups, each in the order of the outputs."""
    groups = [sorted(group, key=outputs.index) for group in ranking]
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":"))


def stored_ranking(text: str) -> Ranking:
    """The groups of such a text, also of some outputs only; raises ValueError for anything else."""
    try:
        groups = json.loads(text)
    except RecursionError as error:
        raise ValueError("the list is too deep") from error
    if not isinstance(groups, list) or not all(isinstance(group, list) and group for group in groups):
        raise ValueError("it is not a list of groups of outputs")
    if not all(isinstance(output, str) for group in groups for output in group):
        raise ValueError("a group holds something that is not a name")
    return tuple(tuple(group) for group in groups)


def ranking_in_words(ranking: Ranking) -> str:
    """The outputs from the best to the worst, as in B > A = C."""
    return f" {BEFORE} ".join(f" {TIED} ".join(group) for group in ranking)


def places(ranking: Ranking) -> dict[str, int]:
    """The rank of each output: 1 for the best, and for tied ones the same; the next rank is then left out."""
    before = accumulate((len(group) for group in ranking), initial=1)
    return {output: rank for rank, group in zip(before, ranking, strict=False) for output in group}


def ranking_fault(ranking: Ranking, outputs: Collection[str]) -> str:
    """Why a ranking does not hold each output once, in a few words; "" if it does."""
    counts = Counter(output for group in ranking for output in group)
    if strangers := [output for output in counts if output not in outputs]:
        return f"{shown(strangers[0])!r} is not one of the outputs {', '.join(outputs)}"
    if twice := [output for output, times in counts.items() if times > 1]:
        return f"{enumerated(twice)} {'is' if len(twice) == 1 else 'are'} ranked twice"
    if missing := [output for output in outputs if output not in counts]:
        return f"{enumerated(missing)} {'has' if len(missing) == 1 else 'have'} no rank"
    return ""


def written_ranking(
    text: str, outputs: Sequence[str], ours: Callable[[str], str | None] | None = None
) -> Ranking:
    """The ranking that people or tools wrote; raises ValueError with the fault.

    It is B > A = C, a JSON list from the best to the worst (tied ones in a list of their own), a JSON object
    with the rank of each output, or A: 2, B: 1, C: 2. ``ours`` gives the output of a name; without it,
    capital letters do not matter.
    """
    known = ours or {output.casefold(): output for output in outputs}.get
    ranking = _from_json(text) or _from_list(text) or _from_signs(text)
    names = [[name.strip() for name in group] for group in ranking]
    ranking = tuple(
        tuple(known(name if ours else name.casefold()) or name for name in group) for group in names
    )
    if fault := ranking_fault(ranking, outputs):
        raise ValueError(fault)
    return ranking


def _from_json(text: str) -> Ranking | None:
    if not text.lstrip().startswith(("[", "{")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        return ranking_of_ranks(value)
    groups = [one if isinstance(one, list) else [one] for one in value]
    return tuple(tuple(map(str, group)) for group in groups if group)


def _from_list(text: str) -> Ranking | None:
    ranked = [_RANKED.match(part.strip()) for part in _LISTED.split(text)]
    if not all(ranked):
        return None
    pairs = [(match[1], float(match[2])) for match in ranked if match]
    names = Counter(name for name, _ in pairs)
    if twice := [name for name, times in names.items() if times > 1]:
        raise ValueError(f"{shown(twice[0])} has two ranks")
    return ranking_of_ranks(dict(pairs))


def _from_signs(text: str) -> Ranking:
    first, *more = _SIGNS.split(text)
    groups = [[first]]
    for sign, name in zip(more[::2], more[1::2], strict=True):
        if sign in _TIES:
            groups[-1].append(name)
        else:
            groups.append([name])
    return tuple(map(tuple, groups))


def ranking_of_ranks(ranks: Mapping[str, object]) -> Ranking:
    """The ranking that ranks from 1 give. Ties share a rank, and the next rank is the next number, or behind
    as many numbers as there are tied outputs; or they share the mean of their places (1, 2.5, 2.5, 4).

    Raises ValueError for ranks that skip or repeat in another way.
    """
    numbers = {output: _number(output, rank) for output, rank in ranks.items()}
    ordered = sorted(set(numbers.values()))
    groups = tuple(tuple(one for one, rank in numbers.items() if rank == at) for at in ordered)
    sizes = [len(group) for group in groups]
    starts = [*accumulate(sizes, initial=1)][: len(sizes)]
    ways = (
        [*range(1, len(sizes) + 1)],
        starts,
        [start + (size - 1) / 2 for start, size in zip(starts, sizes, strict=True)],
    )
    if not any(ordered == way for way in ways):
        said = ", ".join(f"{output} {_short(rank)}" for output, rank in numbers.items())
        raise ValueError(f"the ranks {said} {_what_is_wrong(ordered, starts)}; {_HOW}")
    return groups


def _number(output: str, rank: object) -> float:
    if isinstance(rank, str) and re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", rank.strip()):
        rank = float(rank)
    if isinstance(rank, bool) or not isinstance(rank, int | float) or not math.isfinite(rank):
        raise ValueError(f"the rank of {shown(output)} is {shown(str(rank))!r}, which is not a number")
    return float(rank)


def _what_is_wrong(ordered: Sequence[float], starts: Iterable[int]) -> str:
    if ordered[0] != 1:
        return f"begin with {_short(ordered[0])} in place of 1"
    expected = next(start for rank, start in zip(ordered, starts, strict=True) if rank != start)
    return f"skip or repeat rank {expected}"


def _short(rank: float) -> str:
    return f"{rank:g}"


MOST_RANKED = 9
"""As many as there are digits, and letters that raters keep apart."""


class RankedOutputs(KindOfAnswer):
    """All labels in an order, the best first, where several may be tied. Each label names an output.

    It is kept as a JSON list of groups. Raters see the outputs in an order of their own, under letters.
    """

    name = "ranking"
    words = "a ranking"
    one_written = "a ranking"
    exported_as = (
        "a ranking: answers are JSON lists of groups from the best to the worst; "
        '[["B"],["A","C"]] is B > A = C'
    )
    how_many = ", ranked from the best to the worst, ties allowed"
    is_label, is_judged = False, False
    is_collected, is_ranked = True, True
    all_at_once = "all equal"
    alike = "Rankings are the same vote only where every output has the same rank."
    form = "ranks"
    lacks = ("scale", "passing", "mirrored", "titles", "definitions", "criteria")
    lacks_since = "a ranking, whose labels are only names of outputs"

    def question_fault(self, question: "Question") -> str | None:
        """Labels are outputs, at least two and at most nine, without the signs that people write between."""
        if not FEWEST_LABELS <= len(question.labels) <= MOST_RANKED:
            return f"a ranking is of {FEWEST_LABELS} to {MOST_RANKED} outputs, not of {len(question.labels)}"
        if named := [label for label in question.labels if {*label} & {BEFORE, TIED}]:
            return f"output {named[0]!r} has a sign that stands between outputs of a ranking; rename it"
        return super().question_fault(question)

    def answer_of(self, question: "Question", labels: Collection[str]) -> str:
        """Without ties, in the given order."""
        return ranking_text(tuple((label,) for label in labels), question.labels)

    def labels_in(self, question: "Question", answer: str) -> tuple[str, ...]:
        """All of them, in the question's order. Raises ValueError for anything else."""
        ranking = stored_ranking(answer)
        if why := ranking_fault(ranking, question.labels):
            raise ValueError(why)
        if answer != ranking_text(ranking, question.labels):
            raise ValueError("tied outputs are not in the order of the question")
        return question.labels

    def fault(self, question: "Question", answer: str) -> str | None:
        """Which outputs have no rank, or two; or that it is no ranking."""
        try:
            self.labels_in(question, answer)
        except ValueError as error:
            return f"{one_line(self.in_words(question, answer))!r} does not rank the outputs: {error}"
        return None

    def read(self, question: "Question", text: str) -> str:
        """A ranking that somebody wrote, as the ledger keeps it; raises ValueError with the fault."""
        return ranking_text(written_ranking(text, question.labels), question.labels)

    def in_words(self, question: "Question", answer: str) -> str:
        """As in B > A = C; also of some outputs only."""
        try:
            return ranking_in_words(stored_ranking(answer))
        except ValueError:
            return answer

    def renamed(self, question: "Question", answer: str, names: Mapping[str, str]) -> str:
        """The same ranking of outputs with other names, in the order of a question that has these."""
        groups = stored_ranking(answer)
        return ranking_text(
            tuple(tuple(names[label] for label in group) for group in groups), question.labels
        )

    def pressed(self, question: "Question", draft: str, label: str) -> str:
        """The output comes behind those that have a rank; one that has a rank loses it."""
        groups = stored_ranking(draft) if draft else ()
        if any(label in group for group in groups):
            left = (tuple(other for other in group if other != label) for group in groups)
            groups = tuple(group for group in left if group)
        else:
            groups = (*groups, (label,))
        return _draft(groups)

    def unranked(self, question: "Question", draft: str) -> list[str]:
        """The outputs without a rank."""
        return [label for label in question.labels if label not in self.signs(question, draft)]

    def at_once(self, question: "Question") -> str:
        """All outputs tied."""
        return ranking_text((question.labels,), question.labels)

    def signs(self, question: "Question", draft: str) -> dict[str, str]:
        """The rank of each output that has one, with = where others share it."""
        try:
            ranks = places(stored_ranking(draft))
        except ValueError:
            return {}
        shared = [*ranks.values()]
        return {label: f"{rank}" + "=" * (shared.count(rank) > 1) for label, rank in ranks.items()}

    def wanted(self, question: "Question") -> str:
        """Its outputs, and how they are written."""
        return f"its outputs are {', '.join(question.labels)}, written as in B > A = C"

    def choices(self, labels: Sequence[str]) -> str:
        """A ranking of the outputs."""
        return f"a ranking of {', '.join(labels)}, ties allowed"

    def choices_in_sentence(self, labels: Sequence[str]) -> str:
        """A ranking of the outputs."""
        return f"a ranking of {enumerated(labels)} from the best to the worst, ties allowed"

    def tied(self, draft: str) -> str:
        """The last output tied with those before it; if it is tied already, behind them again."""
        groups = stored_ranking(draft) if draft else ()
        if groups and len(groups[-1]) > 1:
            *before, last = groups[-1]
            groups = (*groups[:-1], tuple(before), (last,))
        elif len(groups) > 1:
            groups = (*groups[:-2], (*groups[-2], *groups[-1]))
        return _draft(groups)


def _draft(groups: Ranking) -> str:
    """Groups in the order in which keys were pressed; "" for none."""
    return json.dumps(groups, ensure_ascii=False, separators=(",", ":")) if groups else ""
