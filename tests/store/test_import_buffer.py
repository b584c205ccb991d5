"""Pieces beside the memory: given back whole, and refused in words where there is no room for them."""

import gc
import os
import tempfile
from pathlib import Path

import pytest

from reviewer.core.errors import StoreError
from store.case_import import Spool


@pytest.mark.parametrize("held", [0, 20, 10_000])
def test_pieces_are_given_back_from_the_file_and_from_memory(
    held: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.case_import._MOST_HELD", held)
    spool, pieces = Spool(), [b"%d" % number * (number % 7) for number in range(100)]
    starts = [spool.add(piece) for piece in pieces]
    assert [spool.piece(start, len(piece)) for start, piece in zip(starts, pieces, strict=True)] == pieces


def test_the_file_has_no_name_and_is_closed_with_its_spool(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.case_import._MOST_HELD", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    spool = Spool()
    spool.add(b"text")
    file = spool._file
    assert file is not None
    assert os.fstat(file).st_size == 4
    assert list(tmp_path.iterdir()) == []
    del spool
    gc.collect()
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(file)


def test_a_folder_for_temporary_files_without_room_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("store.case_import._MOST_HELD", 0)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(StoreError, match=r"refused the rows of the file \(No such file.*TMPDIR"):
        Spool().add(b"text")
