"""``reviewer cluster`` and ``oracle``: what runs programs, here and on machines that share the work."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reviewer.cli.printing import note, print_table
from reviewer.cluster.address import ClusterAddress, cluster_address, need_certificates, need_listener
from reviewer.cluster.dask_cluster import ClusterWorker, open_cluster, tls_settings
from reviewer.cluster.worker_checks import (
    CheckedWorker,
    ClusterWork,
    check_workers,
    need_same_dask,
    need_workers,
    worker_facts,
)
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, capitalised, counted, one_line, visible
from reviewer.core.table import Cell, Table
from reviewer.options.machines import ClusterDoctorOptions, ClusterPlanOptions, OracleDoctorOptions
from reviewer.options.shared import Format
from reviewer.oracle.doctor import Checkup, check_up
from reviewer.planning.estimates import ASSUMED, Planner, assumption_words, estimate_table
from reviewer.similarity.encoder import open_encoder

_MEGABYTE = 2**20
_COLUMNS = (
    *("worker", "fits", "version", "Python", "SWI-Prolog", "counts", "jail", "sentence model", "cores"),
    *("threads", "memory (MB)"),
)
_MORE_COLUMNS = ("name", "system", "code", "dask", "calibration", "protections off", "problems")


def cluster_doctor_command(options: ClusterDoctorOptions) -> None:
    """``reviewer cluster doctor``: which workers of a cluster may do which work."""
    place = cluster_address(options.address, without_tls=options.cluster_without_tls)
    encoder = open_encoder(options.sentence_model).name if options.sentence_model else None
    work = ClusterWork(programs=True, without_jail=options.without_jail, encoder=encoder)
    need_certificates(place, tls_settings())
    need_listener(place)
    with open_cluster(str(place)) as cluster:
        need_same_dask(cluster.scheduler_version)
        known = {worker.address: worker for worker in cluster.workers()}
        checked = check_workers(cluster.ask_workers(worker_facts, options.sentence_model), work)
    print_table(_workers_table(checked, known, options.form), options.form)
    _say(place, checked)


def _workers_table(
    checked: Sequence[CheckedWorker], known: Mapping[str, ClusterWorker], form: Format
) -> Table:
    columns = _COLUMNS if form == "table" else (*_COLUMNS, *_MORE_COLUMNS)
    rows = [_cells(worker, known.get(worker.address)) for worker in checked]
    return Table.of(columns, [tuple(row[name] for name in columns) for row in rows])


def _cells(worker: CheckedWorker, known: ClusterWorker | None) -> dict[str, Cell]:
    """A worker's cells by column; None where it did not say."""
    cells: dict[str, Cell] = {
        **dict.fromkeys((*_COLUMNS, *_MORE_COLUMNS)),
        "worker": one_line(worker.address),
        "fits": "no" if worker.problems else "yes",
        "threads": known.threads if known else None,
        "name": one_line(known.name) if known else None,
        "problems": " ".join(worker.problems) or None,
    }
    if (facts := worker.facts) is None:
        return cells
    counts = "as 9.2" if facts.is_comparable else "not comparable" if facts.prolog else None
    return cells | {
        "version": facts.version,
        "Python": facts.python,
        "SWI-Prolog": facts.prolog or "none",
        "counts": counts,
        "jail": "none" if facts.jail_problem else "full",
        "sentence model": facts.sentence_model,
        "cores": facts.cores,
        "memory (MB)": _least_memory(facts.memory, known) // _MEGABYTE,
        "system": facts.system,
        "code": facts.code,
        "dask": facts.dask,
        "calibration": " ".join(map(str, facts.calibration)) or None,
        "protections off": ", ".join(facts.protections_off) or None,
    }


def _least_memory(facts: int, known: ClusterWorker | None) -> int:
    """What a worker may use: what its process may, or the lower limit that it was started with."""
    return min(facts, known.memory) if known and known.memory else facts


def _say(place: ClusterAddress, checked: Sequence[CheckedWorker]) -> None:
    """What is wrong, in sentences, and who can do harm; raises RequestError if a worker does not fit."""
    for worker in checked:
        for problem in (*worker.problems, *filter(None, [worker.remark])):
            note(capitalised(problem))
    entrance = "with a certificate of this cluster" if place.is_encrypted else "who can reach this address"
    note(
        f"Everyone {entrance} can run code on the scheduler and on the workers, and can send wrong results. "
        "They cannot run code on this machine."
    )
    if not checked:
        need_workers(checked)
    if unfit := sum(bool(worker.problems) for worker in checked):
        gets = agreeing(unfit, "gets", "get")
        raise RequestError(f"{unfit} of {counted(len(checked), 'worker')} {gets} no work.")


SIZES = (10_000, 100_000, 1_000_000)
WORKERS = (8, 32)


def cluster_plan_command(options: ClusterPlanOptions) -> None:
    """``reviewer cluster plan``: time, cost and storage for datasets of some sizes, before there are any."""
    planner = Planner(assumed=replace(ASSUMED, cores=options.cores))
    estimates = [
        (number, estimate)
        for number in options.sizes or SIZES
        for estimate in planner.all_work(number, options.workers or WORKERS)
    ]
    table = estimate_table([estimate for _, estimate in estimates], for_people=options.form == "table")
    rows = [
        (f"{number:,}" if options.form == "table" else number, *row)
        for (number, _), row in zip(estimates, table.rows, strict=True)
    ]
    print_table(table.of(("cases", *table.columns), rows), options.form)
    note(*assumption_words(planner.assumed))


def oracle_doctor_command(options: OracleDoctorOptions) -> None:
    """``reviewer oracle doctor``: the SWI-Prolog that runs programs, and the protection of this machine."""
    checkup = check_up()
    print_table(_state(checkup), options.form)
    if checkup.problem:
        raise RequestError(visible(checkup.problem))


def _state(checkup: Checkup) -> Table:
    counts = "as SWI-Prolog 9.2 counts" if checkup.comparable else "not comparable with published ones"
    if checkup.differing:
        counts += f" ({', '.join(checkup.differing)})"
    rows = [
        ("SWI-Prolog", not checkup.problem, checkup.version or checkup.remedy or checkup.problem),
        ("comparable counts", checkup.comparable, counts),
        *((wall.name, wall.on, wall.detail) for wall in checkup.protections),
    ]
    return Table.of(
        ("what", "on", "detail"), [(name, "on" if on else "off", said) for name, on, said in rows]
    )
