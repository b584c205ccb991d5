"""Which checks a protocol has, of logic or of rules, and the sentence that describes each."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from reviewer.core.check_result import NOT_TESTED
from reviewer.protocols.base import CheckPlan, Protocol
from reviewer.runs.audit.reader_reports import REPORTED, REPORTED_ASKS
from reviewer.runs.check.text_hygiene import TEXT_CHECKS
from reviewer.runs.check_findings import COLLISIONS
from store.records import Case

if TYPE_CHECKING:
    from reviewer.oracle.examination import Examination

_MEANINGS = {
    "serious": "The case may not be usable as it is: read this first.",
    "doubtful": "The case may well be right, but somebody should look at it.",
    "untidy": "This is only untidy.",
    NOT_TESTED: "This check is neither passed nor failed.",
}
_LOGIC_MEANINGS = {
    "serious": "The decision may rest on something other than the case: read this first.",
    "doubtful": "The label may well be right; the programs show less than they should.",
}


@cache
def _logic() -> Mapping[str, str]:
    """The checks of logic in their order, each with its sentence; only these need the oracle."""
    from reviewer.oracle.version_checks import CHECKS

    return {check.name: check.asks for check in CHECKS}


def has_logic(protocol: Protocol) -> bool:
    """Whether cases of the protocol can have programs to audit."""
    return protocol.logic() is not None


def has_checks(protocol: Protocol) -> bool:
    """Whether an audit has anything to check in cases of the protocol."""
    return has_logic(protocol) or bool(protocol.machine_checks)


def examination_of(protocol: Protocol, case: Case) -> "Examination | None":
    """What logic runs to decide a case; None if nothing does."""
    logic = protocol.logic()
    return logic.examination(case) if logic else None


def audit_of(protocol: Protocol, case: Case) -> "Examination | CheckPlan | None":
    """How a case is audited: by logic, else by checks that only read it; None if neither applies."""
    if examination := examination_of(protocol, case):
        return examination
    rules = protocol.check_plan(case)
    return rules if rules and not rules.needs_vectors else None


def checks_of_protocol(protocol: Protocol) -> tuple[str, ...]:
    """Every check that can have findings on cases of the protocol, in the order of lists."""
    logic = _logic() if has_logic(protocol) else ()
    return tuple(dict.fromkeys([*logic, *protocol.machine_checks, *COLLISIONS, REPORTED]))


def audit_names(protocol: Protocol) -> tuple[str, ...]:
    """The checks of an audit: those of logic if the protocol has logic, else its rules."""
    return tuple(_logic()) if has_logic(protocol) else tuple(protocol.machine_checks)


@cache
def _order() -> Mapping[str, int]:
    return {name: place for place, name in enumerate([REPORTED, *_logic(), *COLLISIONS])}


def check_order(check: str) -> tuple[int, str]:
    """Sorts checks: reports of readers come first, then those of logic, in their own order."""
    order = _order()
    return order.get(check, len(order)), check


def asks(protocol: Protocol, check: str) -> str:
    """What a check looks for, in a sentence; "" if its protocol does not say."""
    if check == REPORTED:
        return REPORTED_ASKS
    rule = protocol.machine_checks.get(check) or protocol.dataset_checks.get(check)
    return (
        _logic().get(check)
        or COLLISIONS.get(check)
        or (rule.asks if rule else TEXT_CHECKS.get(check, ("untidy", ""))[1])
    )


def severity_meaning(check: str, severity: str) -> str:
    """What a severity says about the case."""
    logic = _LOGIC_MEANINGS.get(severity) if check in _logic() else None
    return logic or _MEANINGS[severity]


def known_checks(protocols: Sequence[Protocol]) -> tuple[str, ...]:
    """Every check of several protocols."""
    named = (
        (*checks_of_protocol(protocol), *protocol.dataset_checks, *TEXT_CHECKS) for protocol in protocols
    )
    return tuple(dict.fromkeys(name for names in named for name in names))
