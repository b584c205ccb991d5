"""Writing a study out: the raw labels, the numbers, and everything needed to compute them again."""

import json
from collections.abc import Sequence
from pathlib import Path

from reviewer import __version__
from reviewer.core.errors import RequestError
from reviewer.exchange.study_tables import agreement_table, labels_table, pass_rates_table
from reviewer.study.bundle import StudyBundle
from reviewer.study.labels import label_rows
from reviewer.study.results import study_results
from store.records import Event

DEFAULT_BY = ("question", "generator")


def export_study(
    bundle: StudyBundle, events: Sequence[Event], folder: Path, by: Sequence[str] = DEFAULT_BY
) -> list[Path]:
    """Write labels.csv, agreement.csv, pass_rates.csv and study.json; same ledger, same bytes."""
    rows = label_rows(bundle, events)
    results = study_results(bundle, rows, by)
    texts = {
        "labels.csv": labels_table(rows).to_csv(),
        "agreement.csv": agreement_table(results, by).to_csv(),
        "pass_rates.csv": pass_rates_table(results, by).to_csv(),
        "study.json": _study_json(bundle, events),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [_write(folder / name, text) for name, text in texts.items()]
    except OSError as error:
        raise RequestError(
            f"folder {str(folder)!r} cannot be written ({error.strerror}); choose another with -o."
        ) from error


def _study_json(bundle: StudyBundle, events: Sequence[Event]) -> str:
    """The frozen study, its cases with their measurements, and the ledger with its whole history."""
    whole = {
        "format": "dilemma-reviewer study 1",
        "release": __version__,
        "study": bundle.study.model_dump(mode="json"),
        "sample": [place.model_dump(mode="json") for place in bundle.sample],
        "stale": sorted(bundle.stale),
        "raters": [rater.model_dump(mode="json") for rater in bundle.raters],
        "cases": [bundle.cases[place.case].model_dump(mode="json") for place in bundle.sample],
        "measurements": [
            measurement.model_dump(mode="json")
            for place in bundle.sample
            for measurement in bundle.measurements[place.case]
        ],
        "events": [event.model_dump(mode="json") for event in events],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n"


def _write(path: Path, text: str) -> Path:
    """Write beside, then rename, so that no reader ever meets half a file."""
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text, encoding="utf-8", newline="")
    return draft.replace(path)
