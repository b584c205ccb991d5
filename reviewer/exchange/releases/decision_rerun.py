"""Runs the programs of every case of a release again, in the jail only, and compares their decisions."""

from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, shown
from reviewer.core.work_progress import NamedProgress
from reviewer.exchange.releases.release_checks import ReleaseCheck
from reviewer.exchange.releases.release_content import ReleaseContent
from reviewer.exchange.releases.release_files import DataRow
from reviewer.oracle.oracle_errors import OracleError
from reviewer.oracle.oracle_program import Program
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.registry import Protocols
from reviewer.runs.audit.check_texts import examination_of

_ABOUT = "decisions"
_Planned = tuple[str, tuple[str, str], tuple[Program, Program]]
"""The key of a case, the names of its variants, and their programs."""


def decisions_check(
    content: ReleaseContent,
    rows: Sequence[DataRow],
    protocols: Protocols,
    runner: ProgramRunner | None,
    progress: NamedProgress | None = None,
) -> ReleaseCheck:
    """Run both programs of every case and compare their decisions with those in the release.

    ``runner`` runs programs only in a jail; None: this system has none.
    """
    if runner is None:
        return ReleaseCheck(_ABOUT, "not checked", "this system has no jail for programs")
    try:
        planned = _planned(rows, protocols)
        if not planned:
            return ReleaseCheck(_ABOUT, "not checked", "no case has programs")
        runner.engines()
    except OracleError:
        return ReleaseCheck(_ABOUT, "not checked", "SWI-Prolog is not installed")
    except RequestError as error:
        return ReleaseCheck(_ABOUT, "not checked", str(error))
    except ValidationError:
        return ReleaseCheck(_ABOUT, "fails", "a case is not valid by the rules of its benchmark")
    return _compared(content.decisions, planned, _decided(planned, runner, progress))


def _planned(rows: Sequence[DataRow], protocols: Protocols) -> list[_Planned]:
    planned = []
    for row in rows:
        protocol = protocols.named(str(row.get("protocol")))
        if run := examination_of(protocol, protocol.case(str(row.get("group")), row["payload"])):
            planned.append((row["key"], run.names, (run.first, run.second)))
    return planned


def _decided(
    planned: Sequence[_Planned], runner: ProgramRunner, progress: NamedProgress | None
) -> list[dict[str, str | None] | None]:
    """The decisions of the programs of each case, by variant; None for a case that no worker could run."""
    decided: list[dict[str, str | None] | None] = [None] * len(planned)
    jobs = ((number, programs) for number, (_, _, programs) in enumerate(planned))
    for done, ran in enumerate(runner.run(jobs), 1):
        if ran.result is not None:
            choices = (result.choice for result in ran.result)
            decided[ran.about] = dict(zip(planned[ran.about][1], choices, strict=True))
        if progress:
            progress("Running programs", done, len(planned))
    return decided


def _compared(
    stated: Mapping[str, Mapping[str, str]],
    planned: Sequence[_Planned],
    decided: Sequence[Mapping[str, str | None] | None],
) -> ReleaseCheck:
    ran = [
        (key, variant, choice)
        for (key, _, _), choices in zip(planned, decided, strict=True)
        for variant, choice in (choices or {}).items()
    ]
    compared = [
        (key, stated[key][variant], choice) for key, variant, choice in ran if variant in stated.get(key, {})
    ]
    differing = [key for key, said, choice in compared if said != choice]
    not_run = decided.count(None)
    if differing:
        wrong = f"{counted(len(differing), 'program')} decide otherwise than the release says"
        return ReleaseCheck(_ABOUT, "fails", f"{wrong}, the first of case {shown(differing[0])!r}")
    if not_run:
        why = f"{counted(not_run, 'case')} could not be run on the cluster"
        return ReleaseCheck(_ABOUT, "not checked", why)
    programs = counted(len(ran), "program")
    if not compared:
        why = f"{programs} ran; the release states no decisions to compare with"
        return ReleaseCheck(_ABOUT, "not checked", why)
    detail = f"{len(compared):,} of {programs} have a stated decision, and decide so again"
    return ReleaseCheck(_ABOUT, "holds", detail)
