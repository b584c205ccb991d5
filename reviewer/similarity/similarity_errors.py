"""Errors for what may be missing: the packages for models and edit distances, or a model."""

from reviewer.core.errors import RequestError

INSTALL = "pip install 'dilemma-reviewer[similarity]'"
INSTALL_INDEX = "pip install 'dilemma-reviewer[index]'"


class SimilarityMissing(RequestError):  # noqa: N818
    """The packages of the extra are not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"comparing texts needs {package}, which is not installed: {INSTALL}")


class IndexMissing(RequestError):  # noqa: N818
    """The package of the index is not installed."""

    def __init__(self) -> None:
        super().__init__(f"searching with an index needs faiss-cpu, which is not installed: {INSTALL_INDEX}")


class ModelMissing(RequestError):  # noqa: N818
    """This machine has no model with this name or in this folder; nothing is downloaded."""
