"""Warning signs in how two versions of a program decide: every check by name, and asking them all.

None of them proves a wrong label. ``serious`` may make the label wrong, ``doubtful`` weakens what the program
shows, ``untidy`` is only that. A check looks at one case's evidence and gives a sign or None.
"""

from collections.abc import Callable
from dataclasses import dataclass

from reviewer.oracle import decision_checks as decision
from reviewer.oracle import text_checks as text
from reviewer.oracle.evidence import SEVERITIES, Evidence, Sign


@dataclass(frozen=True, slots=True)
class Check:
    """A check; its ``version`` goes up whenever it may say something else of the same evidence."""

    look: Callable[[Evidence], Sign | None]
    version: int = 1

    @property
    def name(self) -> str:
        """The name that its signs carry."""
        return self.look.__name__

    @property
    def asks(self) -> str:
        """What it looks for, in a sentence."""
        return (self.look.__doc__ or "").partition("\n")[0]


CHECKS: tuple[Check, ...] = (
    Check(decision.both_derivable),
    Check(decision.no_option),
    Check(decision.versions_disagree),
    Check(decision.solutions_disagree),
    Check(decision.stray_solution),
    Check(decision.further_search),
    Check(decision.hard_coded),
    Check(decision.one_option_only),
    Check(decision.swap_keeps),
    Check(decision.facts_idle),
    Check(decision.axioms_idle),
    Check(decision.order_matters),
    Check(decision.no_fact_matters),
    Check(decision.no_fact_used),
    Check(decision.by_default),
    Check(text.lost_clauses),
    Check(text.gate),
    Check(text.differs_from_published),
    Check(text.option_in_axioms),
    Check(text.clauses_differ),
    Check(text.same_text),
    Check(text.undefined),
    Check(text.load_messages),
    Check(text.fact_holds_of_all),
    Check(text.facts_name_no_option),
    Check(text.unused_facts),
)


def signs(evidence: Evidence) -> tuple[Sign, ...]:
    """Every sign, serious ones first."""
    found = [sign for check in CHECKS if (sign := check.look(evidence)) is not None]
    return tuple(sorted(found, key=lambda sign: SEVERITIES.index(sign.severity)))
