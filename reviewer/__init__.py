"""Expert review of benchmark items that language models wrote."""

__version__ = "0.1.0"
