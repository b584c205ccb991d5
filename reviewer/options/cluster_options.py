"""``--cluster`` of the commands that run programs or encode texts: workers do it instead of this machine."""

from reviewer.options.option import command_options, flag, option


@command_options
class ClusterOptions:
    """Where the work is done; without an address, on this machine."""

    cluster: str | None = option(
        "Do the work on the workers of the dask scheduler at this address: tls://HOST:PORT, or "
        "tcp://127.0.0.1:PORT on this machine. Default: REVIEWER_CLUSTER, else this machine.",
        metavar="ADDRESS",
        env="REVIEWER_CLUSTER",
    )
    cluster_without_tls: bool = flag("Allow tcp:// to another machine.")
