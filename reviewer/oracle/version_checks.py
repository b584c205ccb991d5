"""Every check of how two versions of a program decide.

A failed check is a warning sign, not a proof of a wrong label. ``serious`` may make the label wrong,
``doubtful`` weakens what the program shows, ``untidy`` does neither. A check looks at the evidence of one
case. If a program did not run, its decision is not known, and checks that need it are not tested.

A check that judges must have earned ``serious``: people read at least ten of its findings on published cases,
and at least four in five were true defects. Until then its findings are at most ``doubtful``. The judgements
are in ``tests/oracle/data/finding_judgements.csv``.

One cause is one finding: a check whose failure follows from that of another one is not tested then, and its
reason names the other one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Literal

from reviewer.core.check_result import SEVERITIES, CheckResult
from reviewer.oracle import check_conditions as need
from reviewer.oracle import decision_checks as decision
from reviewer.oracle import goal_checks as goal
from reviewer.oracle import text_checks as text
from reviewer.oracle.evidence import Evidence

Basis = Literal["fact", "read", "unread"]
"""Why a check may call a finding serious: it states a fact, or its findings were read."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check. Raise its ``version`` whenever it may fail or pass otherwise for the same evidence.

    If only a severity changes, the version stays, so that dismissals hold: change ``basis``, or raise
    ``_SEVERITIES``. ``look`` returns a failure or None. Without ``needs`` the check is not tested. Without
    ``silence`` it can fail but not pass: one version alone can show a fault, but not that the other one has
    none.
    """

    look: Callable[[Evidence], CheckResult | None]
    needs: need.Precondition = need.first_ran
    silence: need.Precondition = need.nothing
    version: int = 1
    basis: Basis = "unread"

    @property
    def name(self) -> str:
        """The name that its results carry."""
        return self.look.__name__

    @property
    def asks(self) -> str:
        """What it looks for, in a sentence."""
        return (self.look.__doc__ or "").partition("\n")[0]

    def ask(self, evidence: Evidence) -> CheckResult:
        """The result of the check on a case."""
        missing = self.needs(evidence)
        failure = None if missing else self.look(evidence)
        if failure is None:
            missing = missing or self.silence(evidence)
            failure = CheckResult(self.name, "not tested" if missing else "passed", why=missing or "")
        if failure.severity == "serious" and self.basis == "unread":
            failure = replace(failure, severity="doubtful")
        return replace(failure, version=self.version)


CHECKS: tuple[Check, ...] = (
    Check(decision.not_run, need.nothing, version=2, basis="fact"),
    Check(decision.both_derivable, need.first_decided, version=2, basis="read"),
    Check(decision.no_option, need.nothing, need.both_ran, version=3, basis="fact"),
    Check(decision.versions_disagree, need.both_decided, version=3, basis="fact"),
    Check(decision.solutions_disagree, need.both_decided, version=2),
    Check(decision.stray_solution, need.nothing, need.both_decided, version=3),
    Check(decision.further_search, need.nothing, need.both_decided, version=3),
    Check(decision.hard_coded, need.first_read, version=3),
    Check(decision.one_option_only, silence=need.first_decided, version=3),
    Check(goal.cannot_match, silence=need.goals_read),
    Check(goal.cue_in_axioms, need.both_ran),
    Check(decision.swap_keeps, decision.one_derivable, need.swap_ran, version=4, basis="read"),
    Check(decision.facts_idle, decision.no_default, need.without_facts_ran, version=3, basis="read"),
    Check(decision.axioms_idle, need.first_decided, need.without_axioms_ran, version=2),
    Check(decision.order_matters, decision.one_derivable, need.orders_ran, version=4),
    Check(decision.no_fact_matters, need.first_decided, need.each_fact_told, version=2),
    Check(decision.no_fact_used, decision.no_default, version=3),
    Check(decision.by_default, decision.exchange_decides, version=4),
    Check(text.lost_clauses, need.nothing, need.both_ran, version=2),
    Check(text.gate, need.nothing, need.both_ran, version=2),
    Check(text.differs_from_published, need.nothing, need.steps_compare, version=3, basis="fact"),
    Check(text.option_in_axioms, need.first_read, version=3, basis="read"),
    Check(text.clauses_differ, need.both_read, version=2),
    Check(text.same_text, need.nothing),
    Check(goal.undefined, need.nothing, need.both_ran, version=3),
    Check(text.load_messages, need.nothing, need.both_ran, version=2),
    Check(text.fact_holds_of_all, need.nothing, need.both_ran, version=2),
    Check(text.facts_name_no_option, need.first_decided, version=3),
    Check(text.unused_facts, need.first_decided, version=2),
)
_SEVERITIES = 2
EDITION = sha256(repr((_SEVERITIES, [(c.name, c.version, c.basis) for c in CHECKS])).encode()).hexdigest()[
    :12
]
"""Names these checks with their versions and severities, so that an audit tells by which it was made."""


def failed_checks(evidence: Evidence) -> list[CheckResult]:
    """Every check that failed, serious ones first."""
    results = (check.ask(evidence) for check in CHECKS)
    failures = [result for result in results if result.state == "failed"]
    return sorted(failures, key=lambda failure: SEVERITIES.index(failure.severity))
