"""Where the result of a check becomes a finding on a case."""

from dataclasses import asdict
from itertools import islice

from reviewer.core.check_result import CheckResult
from store.records import Finding

_MOST_PLACES = 100


def finding_of(result: CheckResult, case: str, question: str | None) -> Finding:
    """A check's result on the case of this digest; ``question`` is the one that it bears on, if any."""
    places = [asdict(place) for place in islice(dict.fromkeys(result.places), _MOST_PLACES)]
    return Finding(
        case=case,
        check=result.check,
        check_version=result.version,
        passed=result.passed,
        severity=result.severity,
        value=result.value,
        threshold=result.threshold,
        why=result.why,
        question=question,
        tested=result.state != "not tested",
        places=places or None,
    )
