"""Expert review of benchmark items that language models wrote."""

__version__ = "1.1.0.dev0"
