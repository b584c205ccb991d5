"""A check calls a finding serious only if it states a fact, or if enough that were read were true defects."""

from reviewer.oracle.version_checks import CHECKS
from tests.bench.support.judgements import JUDGEMENTS, judged_checks

FEWEST, LEAST = 10, 0.8
FACTS = {"not_run", "no_option", "versions_disagree", "differs_from_published"}


def test_serious_checks_state_facts_or_were_read() -> None:
    assert {check.name for check in CHECKS if check.basis == "fact"} == FACTS
    earned = {
        name for name, of in judged_checks().items() if of.read >= FEWEST and of.true / of.read >= LEAST
    }
    assert {check.name for check in CHECKS if check.basis == "read"} == earned


def test_judgements_are_of_known_checks_each_once_and_hold_no_text() -> None:
    head, *rows = JUDGEMENTS.read_text(encoding="utf-8").splitlines()
    assert head == "check,key,true_defect"
    assert len({row.rpartition(",")[0] for row in rows}) == len(rows)
    assert judged_checks().keys() <= {check.name for check in CHECKS}
    assert all(row.count(",") == 2 and row.rpartition(",")[2] in ("yes", "no") for row in rows)
