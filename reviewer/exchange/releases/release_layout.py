"""The files of a release, and how their checksums are written."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CARD, CHANGELOG, CITATION, CROISSANT = "README.md", "CHANGELOG.md", "CITATION.cff", "croissant.json"
MANIFEST, CHECKSUMS, DECLARATION = "release.json", "checksums.sha256", "protocol.toml"
ROWS, OWN, PARQUET = "data/cases.jsonl", "data/cases.json", "data/cases.parquet"


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of data: its path in the folder, SHA-256 and size."""

    path: str
    sha256: str
    size: int

    @classmethod
    def of(cls, path: str, content: bytes) -> "DataFile":
        """The file with this content."""
        return cls(path, sha256(content), len(content))


def is_release(folder: Path) -> bool:
    """Whether a folder looks like a release: it has a manifest and checksums."""
    return all(os.path.lexists(folder / name) for name in (MANIFEST, CHECKSUMS))


def sha256(content: bytes) -> str:
    """The digest that checksums have."""
    return hashlib.sha256(content).hexdigest()


def checksum_lines(digests: Mapping[str, str]) -> str:
    """A line for each file, as ``sha256sum --check`` reads it."""
    return "".join(f"{digest}  {path}\n" for path, digest in sorted(digests.items()))
