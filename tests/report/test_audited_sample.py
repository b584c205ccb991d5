"""A report says if its sample was audited by earlier checks."""

from dataclasses import replace
from pathlib import Path

from reviewer.oracle.version_checks import EDITION
from reviewer.report.design_section import design_blocks
from reviewer.report.document import Facts
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.study.design.study_bundle import StudyBundle, load_study
from store.records import Measurement
from tests.judged import judged_study
from tests.studies import open_store


def audit_told(bundle: StudyBundle, edition: str) -> str:
    """What the report says of the audit, if the first case was audited by the checks of this edition."""
    digest = bundle.sample[0].case
    mark = Measurement(case=digest, name=MARK, source="measured", engine="swipl", value={"edition": edition})
    audited = replace(bundle, measurements={**bundle.measurements, digest: [mark]})
    (facts,) = [block for block in design_blocks(audited, [], []) if isinstance(block, Facts)]
    return "".join(str(part) for part in dict(facts.rows).get("Audit", ()))


def test_a_sample_audited_by_earlier_checks_says_so(tmp_path: Path) -> None:
    database = open_store(tmp_path)
    judged_study(database, per_generator=1)
    bundle = load_study(database, "pilot")
    assert "1 case audited by earlier checks" in audit_told(bundle, "earlier")
    assert audit_told(bundle, EDITION) == ""
