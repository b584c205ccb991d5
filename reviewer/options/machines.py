"""Options of ``reviewer cluster`` and ``reviewer oracle``: what runs programs."""

from reviewer.options.option import CommandGroup, argument, flag, option, several
from reviewer.options.shared import Tabled


class ClusterCommands(CommandGroup):
    """Check the machines that share the work of audits and checks, and plan large datasets."""

    example = "reviewer cluster doctor tls://cluster.example.org:8786"


class ClusterDoctorOptions(Tabled):
    """Show the workers of the cluster at ADDRESS, and which of them cannot be used and why.

    ADDRESS is tls://HOST:PORT, or tcp://127.0.0.1:PORT on this machine. Default: REVIEWER_CLUSTER. Each
    worker is asked for its versions, its SWI-Prolog, its jail and its memory. Nothing else runs, and no store
    is opened.

    A sentence for each worker that cannot be used says why. Such workers get no work; the others do all of
    it. The exit code is 2 if a worker cannot be used, or if the cluster has no workers.
    """

    example = "reviewer cluster doctor tls://cluster.example.org:8786"
    address: str = argument("ADDRESS", env="REVIEWER_CLUSTER")
    cluster_without_tls: bool = flag("Allow tcp:// to another machine.")
    sentence_model: str | None = option(
        "Also compare this sentence model with that of each worker.", metavar="NAME_OR_FOLDER"
    )
    without_jail: bool = flag(
        "Accept workers that cannot confine programs, as the same option of `reviewer audit` does."
    )


class ClusterPlanOptions(Tabled):
    """Estimate time, cost and storage of a dataset: import, audit, encoding, collisions, evaluation.

    The estimates use measured figures and a formula. The assumptions stand below the table. No store is
    opened and no cluster is asked. For the cases of a dataset at hand, use
    `reviewer audit DATASET --dry-run` and `reviewer evaluate RUN DATASET --dry-run`.
    """

    example = "reviewer cluster plan --cases 50000 --workers 16"
    sizes: tuple[int, ...] = several(
        "Number of cases; may be repeated. Default: 10,000, 100,000 and 1,000,000.",
        "--cases",
        metavar="NUMBER",
        within=(1, 10000000),
    )
    workers: tuple[int, ...] = several(
        "Number of workers of a cluster, each with a core of its own; may be repeated. Default: 8 and 32.",
        metavar="NUMBER",
        within=(1, 10000),
    )
    cores: int = option(
        "Number of cores of one machine.", default=2, show_default=True, metavar="NUMBER", within=(1, 1024)
    )


class OracleCommands(CommandGroup):
    """Inspect the SWI-Prolog system that runs the programs."""

    example = "reviewer oracle doctor"


class OracleDoctorOptions(Tabled):
    """Show the installed SWI-Prolog, whether its step counts can be compared with published ones, and how
    programs are confined."""

    example = "reviewer oracle doctor"
