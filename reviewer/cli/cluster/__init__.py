"""``reviewer cluster``: machines that share the work."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "doctor": "Show the workers of the cluster at ADDRESS, and which of them cannot be used and why.",
    "plan": "Estimate time, cost and storage of a dataset: import, audit, encoding, collisions, evaluation.",
}


@click.group(
    "cluster",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer cluster doctor tls://cluster.example.org:8786",
)
def cluster_command() -> None:
    """Check the machines that share the work of audits and checks, and plan large datasets."""
