"""A pack's manifest: digests of everything that the rater is shown, signed with the study's secret."""

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterator, Mapping

from store.records import (
    Finding,
    JsonValue,
    KnownAnswer,
    Measurement,
    PackSeal,
    Study,
    StudyCase,
    canonical_json,
    digest_of,
    digested_fields,
)
from store.study_rows import StudyRows

_FORMAT = "dilemma-reviewer pack 1.0"
_CHANGES_LATER = {"closed_at", "questions"}
_RATERS_OWN = {"joined_at", "field", "degree", "years"}


def sealed(study_rows: StudyRows, secret: str, made_at: str) -> PackSeal:
    """The seal of a pack's rows, for its only rater."""
    (rater,) = study_rows.raters
    manifest = {"made_at": made_at, **_contents(study_rows)}
    return PackSeal(
        study=study_rows.study.name,
        rater=rater.rater,
        manifest=manifest,
        signature=_signature(manifest, secret),
    )


def is_signed(seal: PackSeal, secret: str) -> bool:
    """Whether the manifest was signed with the study's secret, for this study and rater."""
    named = (seal.manifest.get("study"), seal.manifest.get("rater")) == (seal.study, seal.rater)
    return named and hmac.compare_digest(seal.signature, _signature(seal.manifest, secret))


def seals_design(study: Study, seal: PackSeal) -> bool:
    """Whether a pack's seal is for a study of this design."""
    return bool(seal.manifest.get("design") == _design_digest(study))


def alterations(study_rows: StudyRows, seal: PackSeal) -> Iterator[str]:
    """What differs between a pack's rows and its seal: a few words for each difference."""
    was, now = seal.manifest, _contents(study_rows)
    if was.get("format") != _FORMAT:
        yield "the format of the pack, which this release does not know, was changed"
        return
    if not all(isinstance(was.get(part), dict) for part in ("questions", "cases", "beside", "declarations")):
        yield "the list of its contents was altered"
        return
    keys = {place.case: place.key for place in study_rows.sample}
    yield from _differences("question", was["questions"], now["questions"], {})
    yield from _differences("case", was["cases"], now["cases"], keys)
    yield from _differences("what is stored with case", was["beside"], now["beside"], keys)
    yield from _differences("declared protocol", was["declarations"], now["declarations"], {})
    for part, words in _PARTS.items():
        if was.get(part) != now[part]:
            yield f"{words} was altered"


_PARTS = {
    "study": "the name of the study",
    "rater": "the rater",
    "design": "the design of the study",
    "assignment": "the order of the cases or the role of the rater",
}


def _contents(study_rows: StudyRows) -> dict[str, JsonValue]:
    beside: dict[str, list[JsonValue]] = defaultdict(list)
    shown: list[StudyCase | Measurement | Finding | KnownAnswer]
    shown = [*study_rows.sample, *study_rows.measurements, *study_rows.findings, *study_rows.known_answers]
    for record in shown:
        beside[record.case].append(digested_fields(record))
    (rater,) = study_rows.raters if len(study_rows.raters) == 1 else (None,)
    return {
        "format": _FORMAT,
        "study": study_rows.study.name,
        "rater": rater and rater.rater,
        "design": _design_digest(study_rows.study),
        "assignment": rater and digest_of(digested_fields(rater, _RATERS_OWN)),
        "declarations": {kept.reference: digest_of(kept.text) for kept in study_rows.declarations},
        "questions": {
            str(question.get("key")): digest_of(question) for question in study_rows.study.questions
        },
        "cases": {
            case.digest: digest_of(digested_fields(case, {"digest"}))
            for case in (*study_rows.cases, *study_rows.before)
        },
        "beside": {case: digest_of(sorted(map(canonical_json, records))) for case, records in beside.items()},
    }


def _design_digest(study: Study) -> str:
    return digest_of(digested_fields(study, _CHANGES_LATER))


def _signature(manifest: Mapping[str, JsonValue], secret: str) -> str:
    return hmac.new(bytes.fromhex(secret), canonical_json(manifest).encode(), hashlib.sha256).hexdigest()


def _differences(
    what: str, was: Mapping[str, str], now: Mapping[str, str], names: Mapping[str, str]
) -> Iterator[str]:
    for key in sorted(was.keys() | now.keys()):
        if was.get(key) != now.get(key):
            verb = "is missing" if key not in now else "was added" if key not in was else "was altered"
            yield f"{what} {names.get(key, key)!r} {verb}"
