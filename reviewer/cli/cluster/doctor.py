"""``reviewer cluster doctor``: which workers of a cluster may do which work."""

from collections.abc import Mapping, Sequence

from reviewer.cli.options import note, print_table
from reviewer.cluster.address import ClusterAddress, cluster_address, need_certificates, need_listener
from reviewer.cluster.dask_cluster import ClusterWorker, open_cluster, tls_settings
from reviewer.cluster.worker_checks import (
    CheckedWorker,
    ClusterWork,
    check_workers,
    need_same_dask,
    need_workers,
)
from reviewer.cluster.worker_facts import worker_facts
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.table import Cell, Table
from reviewer.options.cluster import ClusterDoctorOptions
from reviewer.options.shared import Format
from reviewer.similarity.encoder import open_encoder

_MEGABYTE = 2**20
_COLUMNS = (
    *("worker", "fits", "version", "Python", "SWI-Prolog", "counts", "jail", "sentence model", "cores"),
    *("threads", "memory (MB)"),
)
_MORE_COLUMNS = ("name", "system", "code", "dask", "calibration", "protections off", "problems")


def cluster_doctor_command(options: ClusterDoctorOptions) -> None:
    """Carry out ``reviewer cluster doctor``."""
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
            note(problem[:1].upper() + problem[1:])
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
