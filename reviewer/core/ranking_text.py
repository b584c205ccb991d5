"""Rankings as texts: as the ledger keeps them, as people write them, and from numbers that are ranks."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from reviewer.core.sanitize import enumerated, shown

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
