"""One cluster for all tests that need a real one: a scheduler and two workers on this machine."""

from collections.abc import Iterator

import pytest

from tests.cluster.processes import RunningCluster, running_cluster


@pytest.fixture(scope="session")
def shared_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """A scheduler and two workers, which tests leave as they found them."""
    with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster
