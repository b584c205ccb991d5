"""The cases, tiers and clusters that the options of ``reviewer effects`` and of its report choose."""

from pathlib import Path
from typing import TYPE_CHECKING

from reviewer.cli.printing import note, progress_bars
from reviewer.options.result_options import OutcomeChoice

if TYPE_CHECKING:
    from reviewer.results.outcomes.effect_rows import Clusters, Tiers
    from reviewer.results.outcomes.evaluated import Evaluation
    from reviewer.study.design.listed_cases import PickedCases
    from store.database import Database


def read_picked(path: Path) -> "PickedCases":
    """The cases that the file of ``--picked`` lists."""
    from reviewer.exchange.rows.study_inputs import picked_cases

    return picked_cases(path, note)


def read_tiers(
    database: "Database", evaluation: "Evaluation", measurement: str, sentence_model: str
) -> "Tiers":
    """The quartiles over all cases of the run's datasets, duplicates left out where that can be told."""
    # Loads where effects are computed; the report of a study has these options too.
    from reviewer.cli.cluster_work import open_embeddings
    from reviewer.results.outcomes.case_groupings import tiers_of
    from reviewer.similarity.encoder import ModelMissing, SimilarityMissing

    try:
        embeddings = open_embeddings(database, sentence_model)
        with progress_bars() as progress:
            tiers = tiers_of(database, evaluation, measurement, embeddings, progress)
    except (SimilarityMissing, ModelMissing) as missing:
        note(f"Tiers count cases that are nearly the same more than once: {missing}")
        tiers = tiers_of(database, evaluation, measurement)
    low, middle, high = tiers.ends
    note(f"Tiers of {tiers.measurement}: at most {low}, at most {middle}, at most {high}, and above.")
    return tiers


def read_clusters(database: "Database", evaluation: "Evaluation", options: OutcomeChoice) -> "Clusters":
    """What is resampled; families need the sentence model."""
    from reviewer.results.outcomes.effect_rows import Clusters

    if options.cluster != "family":
        return Clusters(options.cluster)
    from reviewer.cli.cluster_work import open_embeddings
    from reviewer.results.outcomes.case_groupings import families_of

    with progress_bars() as progress:
        embeddings = open_embeddings(database, options.sentence_model)
        return families_of(database, evaluation, embeddings, progress)
