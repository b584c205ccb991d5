"""``reviewer cluster``: machines that share the work."""

import click

from reviewer.cli.lazy_group import LazyGroup


@click.group(
    "cluster",
    cls=LazyGroup,
    package=__name__,
    below=("doctor", "plan"),
    epilog="Example: reviewer cluster doctor tls://cluster.example.org:8786",
)
def cluster_command() -> None:
    """Check the machines that share the work of audits and checks, and plan large datasets."""
