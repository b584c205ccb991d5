"""Commands for raters and leads: ``review``, ``adjudicate``, ``merge`` and ``demo``."""

import os
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.app_launch import leave, need_terminal, open_app
from reviewer.cli.printing import note, print_table, print_wrapped
from reviewer.cli.signals import settled_at_the_end
from reviewer.cli.store_access import open_store, protocols_here
from reviewer.cli.streams import input_is_closed
from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import counted
from reviewer.core.table import Cell, Table
from reviewer.core.whole_files import write_texts
from reviewer.exchange.packs.workspace import workspace_away_from
from reviewer.options.reviewing import AdjudicateOptions, DemoOptions, MergeOptions, ReviewOptions
from reviewer.options.shared import own_name
from reviewer.study.adjudication.adjudication_session import AdjudicationSession, DisputeState, admit_rater
from reviewer.study.design.joining import join_study
from reviewer.study.design.study_bundle import load_frame
from reviewer.study.session.rater_progress import owed, progress_of
from reviewer.study.transfer.answer_reports import blank_answers, doubled_answers, late_answers
from reviewer.study.transfer.merge import Merged, merge_waiting
from store.database import Database
from store.location import is_server
from store.sqlite import is_single_file
from store.studies import find_study


def review_command(options: ReviewOptions) -> None:
    """``reviewer review``: one rater at work, in the terminal app or line by line."""
    if names_pack(options.study):
        _review_pack(Path(options.study), options.rater, plain=options.plain)
        return
    if options.rater is None:
        raise click.MissingParameter(param_type="option", param_hint="'--rater'")
    checked_name("rater", options.rater)
    if is_server(options.store):
        _review_on_server(
            options.store, options.study, options.rater, alone=options.alone, plain=options.plain
        )
        return
    database = open_store(options.store)
    known = load_frame(database, options.study).study
    if options.plain:
        _review_plainly(database, options.rater, options.study)
        return
    _need_window(alone=options.alone)
    join_study(database, known, options.rater)
    open_app(database, options.rater, options.study, alone=options.alone)


def names_pack(argument: str) -> bool:
    """Whether a study is given as the file of a pack."""
    return argument.endswith(".review") or is_single_file(Path(argument))


def _review_on_server(store: str, study: str, rater: str, *, alone: bool, plain: bool) -> None:
    """Work in a file of the rater's own, so that no key waits for the network."""
    if not plain:
        _need_window(alone=alone)
    workspace, unreachable = workspace_away_from(store, study, rater, protocols_here())
    if unreachable:
        note(f"{unreachable} You can still work: everything is saved here and sent later.")
    if plain:
        _review_plainly(workspace.database, rater, study)
        leave([workspace])
    else:
        open_app(workspace.database, rater, study, alone=alone, workspace=workspace)


def _review_pack(path: Path, rater: str | None, *, plain: bool) -> None:
    from reviewer.exchange.packs.pack import opened_pack

    database, seal = opened_pack(path, protocols_here())
    with closing(database):
        # The environment may name somebody for the stores of this machine; a pack has its own rater.
        asked = click.get_current_context().get_parameter_source("rater")
        if asked is ParameterSource.COMMANDLINE and rater != seal.rater:
            raise RequestError(f"pack {path.name!r} was made for {seal.rater!r}, not for {rater!r}.")
        if not plain:
            need_terminal()
        (_review_plainly if plain else open_app)(database, seal.rater, seal.study)


def _review_plainly(database: Database, rater: str, study: str) -> None:
    from reviewer.cli.plain_review import PlainReview
    from reviewer.study.session.review_session import ReviewSession

    if input_is_closed():
        raise RequestError("there is no standard input to read answers from; give it a terminal or a pipe.")
    with settled_at_the_end(database):
        session = ReviewSession(database, study, rater, given="plain")
        PlainReview(session, print_wrapped, typed=sys.stdin.isatty()).run(sys.stdin)


def _adjudicate_plainly(database: Database, who: str, study: str) -> None:
    from reviewer.cli.plain_adjudication import PlainAdjudication

    if input_is_closed():
        raise RequestError("there is no standard input to read decisions from; give it a terminal or a pipe.")
    with settled_at_the_end(database):
        session = AdjudicationSession(database, study, who, given="plain")
        PlainAdjudication(session, print_wrapped, typed=sys.stdin.isatty()).run(sys.stdin)


def _adjudicate_by_sheet(database: Database, options: AdjudicateOptions) -> None:
    from reviewer.exchange.sheets.decision_sheet import decide_all, decisions_in, dispute_sheet

    target = options.write_sheet
    if target is not None and target.exists():
        raise RequestError(f"{str(target)!r} exists; remove it first, or name another file.")
    with settled_at_the_end(database):
        session = AdjudicationSession(database, options.name, options.who, given="spreadsheet")
        if target is not None:
            write_texts(target.parent, {target.name: dispute_sheet(session)})
            note(
                f"{target}: {counted(len(session.disputes), 'dispute')}. Fill in `answer` and `reason`, then "
                f"run: reviewer adjudicate {options.name} --as {options.who} --read-sheet {target}"
            )
        elif options.read_sheet is not None:
            saved = decide_all(session, decisions_in(session, options.read_sheet))
            decided = session.count(DisputeState.ADJUDICATED)
            click.echo(
                f"{counted(saved.new, 'new decision')}, {saved.same:,} already decided; {decided:,} of "
                f"{counted(len(session.disputes), 'dispute')} decided"
            )
            for other in saved.others:
                note(other)


def _need_window(*, alone: bool) -> None:
    """Raise RequestError where there is neither a browser, which has a driver of its own, nor a terminal."""
    if not (alone and os.environ.get("TEXTUAL_DRIVER")):
        need_terminal()


def adjudicate_command(options: AdjudicateOptions) -> None:
    """``reviewer adjudicate``: decisions where raters disagree."""
    database = open_store(options.store)
    progress_of(database, options.name)
    sheets = [path for path in (options.write_sheet, options.read_sheet) if path is not None]
    if len(sheets) + options.plain > 1:
        raise click.UsageError("Give one of --plain, --write-sheet and --read-sheet.")
    if not options.plain and not sheets:
        need_terminal()
    if options.lead is not None:
        admit_rater(database, options.name, options.lead, options.who)
    if options.plain:
        _adjudicate_plainly(database, options.who, options.name)
    elif sheets:
        _adjudicate_by_sheet(database, options)
    else:
        open_app(database, options.who, options.name, adjudicating=True)
    note(f"The final labels: reviewer labels {options.name}")


_COLUMNS = (
    *("file", "study", "rater", "added", "there already", "late", "refused", "forks", "why"),
    *("kept aside", "revisions"),
)
_MOST_TOLD = 20


def merge_command(options: MergeOptions) -> None:
    """``reviewer merge``: verdicts from other machines."""
    from reviewer.exchange.packs.store_files import merge_file

    if not options.files and not options.accept_clock:
        raise click.UsageError("Missing argument 'FILE...'.")
    database = open_store(options.store)
    done = [
        (file.name, account)
        for file in options.files
        for account in merge_file(
            database, file, trusted=options.trust, accept_clock=options.accept_clock, dry_run=options.dry_run
        )
    ]
    if options.accept_clock:
        done += merge_waiting(database, dry_run=options.dry_run)
    print_table(Table.of(_COLUMNS, [_row(name, account) for name, account in done]), options.form)
    if not options.dry_run:
        _tell_blank_answers(database, done)
    _tell(done, options.dry_run)


def _tell_blank_answers(database: Database, done: Sequence[tuple[str, Merged]]) -> None:
    """Say how many questions the raters of the files still leave open."""
    raters = dict.fromkeys((merged.study, merged.rater) for _, merged in done if merged.added or merged.known)
    late = {(merged.study, merged.rater) for _, merged in done if merged.late}
    for study, rater in raters:
        if left := owed(progress_of(database, study)).get(rater):
            which = f"{counted(left, 'question')} of rater {rater} in study {study}"
            which += " without an answer that came in time" if (study, rater) in late else ""
            note(f"Note: {blank_answers(which)}")


def _row(file: str, account: Merged) -> list[Cell]:
    counts = (account.added, account.known, account.late, len(account.refused), account.forks)
    return [
        file,
        account.study,
        account.rater,
        *counts,
        "; ".join(account.refused) or None,
        account.aside,
        account.revisions,
    ]


def _tell_apart(name: str, account: Merged) -> None:
    """Name the events that did not come into the ledger although none of them was refused."""
    if account.aside:
        note(
            f"Kept aside: {counted(account.aside, 'event')} of {account.rater} from file {name!r}, whose ids "
            f"lie in the future (up to {account.until[:10]}): a clock was ahead. They count only after "
            "`reviewer merge --accept-clock`."
        )
    note(*(f"File {name!r}: {missing}. This breaks nothing." for missing in account.missing[:_MOST_TOLD]))
    if len(account.missing) > _MOST_TOLD:
        note(f"File {name!r}: {len(account.missing) - _MOST_TOLD:,} more events are not here.")


def _tell(done: Sequence[tuple[str, Merged]], dry_run: bool) -> None:
    """Say in words what the table only counts; raises RequestError where anything was refused."""
    late = sum(account.late for _, account in done)
    # What comes late counts nowhere, so it is not the last one that counts either.
    forks = sum(account.forks for _, account in done if not account.late)
    if late:
        note(f"Note: {late_answers(counted(late, 'event'))}")
    if forks:
        note(f"Note: {doubled_answers(f'{forks} given on two machines, neither knowing the other')}")
    for name, account in done:
        _tell_apart(name, account)
        note(*(f"File {name!r}: {remark}." for remark in account.remarks))
    if dry_run:
        note("Nothing was written: this was a dry run.")
    refusals = [f"file {name!r}: {why}" for name, account in done for why in account.refused]
    note(*(f"Refused: {refusal}." for refusal in refusals[:-1][:_MOST_TOLD]))
    if refusals:
        more = f" (and {len(refusals) - 1} more refusals)" if len(refusals) > 1 else ""
        raise RequestError(f"refused{more}: {refusals[-1].rstrip('.')}.")


_DEMO_STUDY = "seeds-demo"


def demo_command(options: DemoOptions) -> None:
    """``reviewer demo``: the app on the hand-written seed cases."""
    need_terminal()
    name = checked_name("rater", options.rater) if options.rater else own_name()
    database = open_store(options.store, create=True)
    _prepare_demo(database, name)
    open_app(database, name)


def _prepare_demo(database: Database, lead: str) -> None:
    from reviewer.exchange.rows.shipped import SHIPPED, ensure_seeds
    from reviewer.study.design.study_creation import Design, create_study

    ensure_seeds(database)
    with database.read() as session:
        has_study = find_study(session, _DEMO_STUDY) is not None
    if not has_study:
        create_study(database, _DEMO_STUDY, Design((SHIPPED,), per_group=None, seed=1), lead)
