"""The sentence model that comes with the program. Loading it takes long, so all tests that do are here."""

import json
import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from reviewer.exchange.rows.dataset_import import import_path
from reviewer.oracle import pool
from reviewer.oracle.program_runner import LocalRunner
from reviewer.runs.check.dataset_check import check
from reviewer.runs.check.published_comparison import compare_with_published
from reviewer.similarity.encoder import ModelMissing, SentenceEncoder, SimilarityMissing, open_encoder
from reviewer.similarity.text_vectors import Embeddings
from store.database import Database
from store.embeddings import StoredVectors
from tests.prolog import need_prolog
from tests.studies import open_store

_SAMPLED = 14
"""Of each group; among them one whose published choice is no option."""


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    try:
        encoder = open_encoder()
    except SimilarityMissing as missing:
        if os.environ.get("CI"):
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    import torch

    torch.set_num_threads(1)  # two would wait for each other where other tests use the cores
    return encoder


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(open_store(tmp_path)) as database:
        yield database


@pytest.mark.slow
def test_the_published_values_are_reproduced(
    published_file: Path, tmp_path: Path, database: Database, encoder: SentenceEncoder
) -> None:
    """Cosines within 1e-5, Levenshtein similarities within 1e-12, choices and steps exactly.

    Of a pair of each group: encoding all 806 takes minutes.
    """
    need_prolog()
    records = json.loads(published_file.read_text(encoding="utf-8"))
    sample = tmp_path / "sample.json"
    sample.write_text(json.dumps({group: [pairs[_SAMPLED]] for group, pairs in records.items()}))
    import_path(database, sample, "published", "gpt-4o-mini")
    with pool.open_executor(1) as executor:
        embeddings = Embeddings(encoder, StoredVectors(database))
        report = check(database, "published", embeddings, LocalRunner(executor))
    pool.close()
    assert (report.checked, report.colliding) == (8, 0)
    compared, differences = compare_with_published(database, "published")
    found = {each.value: (each.compared, each.differ) for each in compared}
    assert found["pair_similarity"] == (8, 0)
    assert found["pair_levenshtein_similarity"] == (8, 0)
    assert found["reconstruction_similarity"] == (8, 0)
    assert differences == []


@pytest.mark.slow
def test_a_text_is_encoded_the_same_alone_and_in_company(
    database: Database, encoder: SentenceEncoder
) -> None:
    texts = [
        f"Shall we {verb} the release{' after the tests' * n}?" for n in range(6) for verb in ("ship", "hold")
    ]
    together = Embeddings(encoder, StoredVectors(database)).of(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    assert np.abs(together - alone).max() < 1e-6
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-6)
    assert encoder.name.startswith("all-MiniLM-L6-v2@")
    assert open_encoder(str(encoder.folder)).name.endswith(encoder.name.partition("@")[2])


def test_a_folder_without_a_model_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="it has no modules"):
        open_encoder(str(tmp_path))
    (tmp_path / "modules.json").write_text("[{")
    with pytest.raises(ModelMissing, match="contains no sentence model that loads"):
        open_encoder(str(tmp_path)).encode(["a"])
