"""How similar the cases of a group are: mean similarity of pairs, within generators and between them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from reviewer.core.work_progress import NamedProgress
from reviewer.protocols.registry import protocols_of
from reviewer.similarity.edit_distance import summed_levenshtein_similarity
from reviewer.similarity.encoder import Vectors
from reviewer.similarity.text_vectors import Embeddings
from store.cases import Filter, list_places
from store.database import Database

ALL, MEAN = "all", "mean of groups"


@dataclass(frozen=True, slots=True)
class Likeness:
    """Mean similarities over the pairs of a group's texts; None if there is no pair.

    ``generators`` are one name (pairs within), two (pairs between them), or none (every pair). In the mean of
    groups ``pairs`` is the sum, and the means are those of the groups that have any.
    """

    group: str
    generators: tuple[str, ...]
    pairs: int
    cosine: float | None
    levenshtein: float | None


@dataclass(frozen=True, slots=True)
class _Sums:
    """Sums over pairs; unlike means, sums of parts can be added."""

    pairs: int
    cosine: float
    levenshtein: float

    def likeness(self, group: str, generators: tuple[str, ...]) -> Likeness:
        if not self.pairs:
            return Likeness(group, generators, 0, None, None)
        return Likeness(
            group, generators, self.pairs, self.cosine / self.pairs, self.levenshtein / self.pairs
        )


@dataclass(frozen=True, slots=True)
class _Corpus:
    """What one generator wrote for one group: texts and their vectors, row by row."""

    generator: str
    texts: tuple[str, ...]
    vectors: Vectors


def diversity(
    database: Database, datasets: Sequence[str], embeddings: Embeddings, progress: NamedProgress | None = None
) -> list[Likeness]:
    """For each group and for their mean: each generator, each two of them, and all.

    The text compared is the one that has to be distinct. A case in several datasets counts once, as its
    first one has it.
    """
    groups = _texts_by_group(database, datasets)
    step = None if progress is None else lambda done, total: progress("Encoding texts", done, total)
    texts = list(dict.fromkeys(text for each in groups.values() for some in each.values() for text in some))
    vectors = dict(zip(texts, embeddings.of(texts, step), strict=True))
    found: list[Likeness] = []
    for number, (group, by_generator) in enumerate(groups.items(), start=1):
        corpora = [
            _Corpus(generator, tuple(some), np.stack([vectors[text] for text in some]))
            for generator, some in by_generator.items()
        ]
        found += _of_group(group, corpora)
        if progress:
            progress("Comparing texts", number, len(groups))
    return [*found, *_means(found)]


def mean_similarities(texts: Sequence[str], vectors: Vectors) -> tuple[float | None, float | None]:
    """The mean cosine and the mean Levenshtein similarity over all pairs of texts; None without a pair."""
    likeness = _within(_Corpus("", tuple(texts), vectors)).likeness("", ())
    return likeness.cosine, likeness.levenshtein


def _texts_by_group(database: Database, datasets: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """Group → generator → texts, each in the order of datasets and places."""
    with database.read() as session:
        placed = [pair for name in datasets for pair in list_places(session, Filter(datasets=(name,)))]
    groups: dict[str, dict[str, list[str]]] = {}
    protocols = protocols_of(database)
    first = {case.digest: (place, case) for place, case in reversed(placed)}
    for place, case in reversed(first.values()):
        plan = protocols.named(case.protocol).check_plan(case)
        if plan and plan.distinct:
            groups.setdefault(case.group, {}).setdefault(place.generator, []).append(plan.distinct)
    return groups


def _of_group(group: str, corpora: Sequence[_Corpus]) -> Iterator[Likeness]:
    within = {(corpus.generator,): _within(corpus) for corpus in corpora}
    between = {(a.generator, b.generator): _between(a, b) for a, b in combinations(corpora, 2)}
    for generators, sums in (within | between).items():
        yield sums.likeness(group, generators)
    if between:
        yield _total((within | between).values()).likeness(group, ())


def _within(corpus: _Corpus) -> _Sums:
    """Of n vectors x, the products of all pairs sum up to (|sum of x|² - sum of |x|²) / 2."""
    number, wide = len(corpus.texts), corpus.vectors.astype(np.float64)
    total = wide.sum(axis=0)
    alike = summed_levenshtein_similarity(corpus.texts, corpus.texts)
    return _Sums(
        pairs=number * (number - 1) // 2,
        cosine=float(total @ total - np.sum(wide * wide)) / 2,
        levenshtein=(alike - number) / 2,
    )


def _between(first: _Corpus, second: _Corpus) -> _Sums:
    totals = [corpus.vectors.astype(np.float64).sum(axis=0) for corpus in (first, second)]
    return _Sums(
        pairs=len(first.texts) * len(second.texts),
        cosine=float(totals[0] @ totals[1]),
        levenshtein=summed_levenshtein_similarity(first.texts, second.texts),
    )


def _total(parts: Iterable[_Sums]) -> _Sums:
    each = list(parts)
    return _Sums(
        sum(part.pairs for part in each),
        sum(part.cosine for part in each),
        sum(part.levenshtein for part in each),
    )


def _means(similarities: Sequence[Likeness]) -> Iterator[Likeness]:
    for generators in dict.fromkeys(similarity.generators for similarity in similarities):
        rows = [similarity for similarity in similarities if similarity.generators == generators]
        cosines = [similarity.cosine for similarity in rows if similarity.cosine is not None]
        edits = [similarity.levenshtein for similarity in rows if similarity.levenshtein is not None]
        pairs = sum(similarity.pairs for similarity in rows)
        yield Likeness(
            MEAN, generators, pairs, fmean(cosines) if cosines else None, fmean(edits) if edits else None
        )
