"""The one reader of answers. Protocols name its version; the reader itself loads when a reply is read."""

from typing import Final

READER_VERSION: Final = 20
"""Raised whenever the reader may read a reply otherwise than before."""
