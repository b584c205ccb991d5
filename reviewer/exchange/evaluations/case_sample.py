"""Draws the sample of an evaluation run: cases of datasets, or those that a file names."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.exchange.rows.study_inputs import Tell, read_case_list
from reviewer.protocols.evaluation import EvaluationPlan, Factor
from reviewer.protocols.registry import protocols_of
from reviewer.runs.evaluation.evaluation_settings import DrawnSample, placed_cases
from reviewer.study.design.listed_cases import listed_places
from reviewer.study.design.strata import draw
from store.cases import PlacedCase, list_datasets
from store.database import Database

_GREATEST_SEED = 10**18


@dataclass(frozen=True, slots=True)
class SampleRequest:
    """Which cases a run is about: all of the datasets, a number of each group, or those that a file names.

    ``groups`` are the only ones to take (none: all). ``smallest`` takes as many cases of each group as the
    smallest group of any of the datasets has.
    """

    datasets: tuple[str, ...]
    groups: tuple[str, ...] = ()
    per_group: int | None = None
    smallest: bool = False
    picked: Path | None = None
    seed: int = 0


def draw_sample(database: Database, request: SampleRequest, tell: Tell) -> DrawnSample:
    """The cases of a new run in order, each content once; raises RequestError and InputError.

    Withdrawn cases are left out, and cannot be named.
    """
    if abs(request.seed) >= _GREATEST_SEED:
        raise RequestError(f"seed {request.seed} is too large; use a whole number of at most 18 digits.")
    if request.picked and (request.per_group or request.smallest or request.groups):
        raise RequestError("--cases names every case; leave out --per-group, --cap and --group.")
    listed = read_case_list(request.picked, tell) if request.picked else []
    named = [entry.dataset for entry in listed if entry.dataset]
    datasets = tuple(dict.fromkeys([*request.datasets, *named]))
    if not datasets:
        raise RequestError(
            "the run is new; name the datasets whose cases it puts to models, or cases by --cases."
        )
    protocol, available = placed_cases(database, datasets)
    available = _of_groups(available, request.groups)
    per_group = _smallest(available, request.per_group) if request.smallest else request.per_group
    if listed:
        places = listed_places(listed, available, datasets, ())
    else:
        named_protocol = protocols_of(database).named(protocol)
        strata = draw(named_protocol, available, request.seed, per_group=per_group)
        places = [place for stratum in strata for place in stratum.cases]
    cap = "smallest" if request.smallest else ""
    return DrawnSample(
        protocol, places, datasets, request.per_group, cap, request.picked is not None, request.seed
    )


def factors_for(database: Database, datasets: Sequence[str]) -> tuple[Factor, ...]:
    """What may differ between the ways in which cases of these datasets are put to models.

    Names that no dataset has do not count; if none is left, all datasets do. Nothing is known of datasets of
    several protocols together.
    """
    with database.read() as session:
        known = list_datasets(session)
    named = [dataset for dataset in known if dataset.name in datasets]
    protocols = {dataset.protocol for dataset in named or known}
    usable = [protocols_of(database).usable(name) for name in protocols]
    plans = [plan for protocol in usable if protocol and (plan := protocol.offered(EvaluationPlan))]
    return plans[0].factors if len(plans) == 1 else ()


def _of_groups(
    available: Mapping[str, Sequence[PlacedCase]], groups: Sequence[str]
) -> Mapping[str, Sequence[PlacedCase]]:
    """The cases of these groups; raises RequestError for a group that no dataset has."""
    known = dict.fromkeys(case.group for places in available.values() for _, case in places)
    if unknown := [group for group in groups if group not in known]:
        raise RequestError(f"there is no group {one_line(unknown[0])!r}; there are {', '.join(known)}.")
    if not groups:
        return available
    return {name: [pair for pair in places if pair[1].group in groups] for name, places in available.items()}


def _smallest(available: Mapping[str, Sequence[PlacedCase]], most: int | None) -> int | None:
    """The size of the smallest group of any dataset, at most the number of ``--per-group``."""
    sizes = Counter((dataset, case.group) for dataset, places in available.items() for _, case in places)
    smallest = min(sizes.values(), default=None)
    return smallest if most is None or smallest is None else min(most, smallest)
