"""Expert review of benchmark items that language models wrote."""

__version__ = "1.0.0"
