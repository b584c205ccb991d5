"""``reviewer repair``: cases repaired by rule, to balance a dataset, or as a model proposes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

import click

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.cluster_work import ask_without_jail, runner_on
from reviewer.cli.findings import check_names
from reviewer.cli.printing import Advance, note, print_table, progress_bars
from reviewer.cli.proposing import (
    AskedRepairs,
    ask_for_repairs,
    print_proposals,
    proposal_source,
    try_proposals,
)
from reviewer.cli.store_access import open_store, open_store_later, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted
from reviewer.options.checks import RepairOptions
from reviewer.oracle.pool import open_executor
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.protocols.repairs import RepairRule
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.repair.balance import GroupBalance, balanced_groups, option_names, right_options
from reviewer.runs.repair.proposal_run import proposal_counts
from reviewer.runs.repair.revise import checked_words
from reviewer.runs.repair.rule_repair import (
    PlaceTrial,
    balance_table,
    changed_texts_table,
    counts_after,
    places_to_repair,
    places_with_findings,
    places_without_findings,
    repairs_of,
    repairs_table,
    rule_named,
    rule_trials,
    save_trial,
    saved_trials,
    some_trials,
    step_changes,
    steps_words,
)
from reviewer.study.session.content_rights import check_may_change
from store.database import Database
from store.revisions import PlaceNow
from store.studies import open_studies_with


@dataclass
class _Work:
    """What the repairs of one call share, and the cases that they have repaired so far."""

    options: RepairOptions
    database: Database
    protocol: Protocol
    executor: Executor
    runner: ProgramRunner
    progress: Advance | None
    reason: str
    done: list[PlaceTrial] = field(default_factory=list)

    def repair(self, rule: RepairRule, places: Sequence[PlaceNow], most: int) -> Iterator[PlaceTrial]:
        """Repair places in order until ``most`` are repaired; a dry run saves nothing."""
        with closing(rule_trials(self.database, self.protocol, rule, places, self.executor)) as trials:
            for tried in some_trials(trials, most) if self.options.dry_run else self._saved(trials, most):
                if tried.trial is not None:
                    self.done.append(tried)
                yield tried

    def _saved(self, trials: Iterator[PlaceTrial], most: int) -> Iterator[PlaceTrial]:
        return saved_trials(self.database, trials, most, author=self.options.who, reason=self.reason)


def repair_command(options: RepairOptions) -> None:
    """Carry out ``reviewer repair``."""
    _check_options(options)
    with ExitStack() as stack:
        database = open_store(options.store)
        check_may_change(database, options.dataset, options.who)
        protocol, repairs = repairs_of(database, options.dataset)
        if options.proposals:
            print_table(proposal_counts(database, options.dataset), options.form)
            return
        if not (options.rule or options.balance or options.propose):
            _open_app(options)
            return
        chosen = rule_named(repairs, options.rule) if options.rule else repairs.exchange
        reason = _default_reason(options) if options.reason is None else options.reason
        checked_words(options.who, reason)
        ask_without_jail(options.accepted)
        asked = ask_for_repairs(database, options) if options.propose else None
        if options.propose and asked is None:
            return
        progress = stack.enter_context(progress_bars())
        executor = stack.enter_context(open_executor(options.workers))
        runner = stack.enter_context(runner_on(options.cluster, executor, accepted=options.accepted))
        work = _Work(options, database, protocol, executor, runner, progress, reason)
        if asked:
            _propose(work, asked)
        else:
            _apply(work, chosen)


def _apply(work: _Work, rule: RepairRule | None) -> None:
    """Repair by rule, or to balance the dataset."""
    if rule is None:
        raise RequestError(f"cases of {work.protocol.title} have no options to exchange.")
    with _told_when_stopped(work):
        if work.options.balance:
            _balance(work, rule)
        else:
            _by_rule(work, rule)
    _remark(work, rule.other_steps)


def _check_options(options: RepairOptions) -> None:
    """Refuse options that do not go together, and whatever keeps the model from being asked."""
    if options.without and not options.balance:
        raise click.UsageError("--without is for --balance; leave it out, or add --balance.")
    if sum(map(bool, (options.rule, options.balance, options.propose, options.proposals))) > 1:
        raise click.UsageError("Give only one of --rule NAME, --balance, --propose and --proposals.")
    if options.keys and (options.balance or options.proposals):
        raise click.UsageError("--balance and --proposals are for whole datasets; leave --case out.")
    if options.run and (options.model or not options.propose):
        raise click.UsageError("--run is for --propose, in place of --model.")
    asks = options.model or options.run
    if options.propose and (not asks or (options.accept and len(options.keys) != 1)):
        raise click.UsageError("--propose needs --model NAME, and --accept needs exactly one --case.")
    if options.model:
        options.models.check(options.model)
    elif not asks and (options.models.replay or options.models.record):
        raise click.UsageError("--replay and --record are for a model's proposals; give --model NAME.")
    check_names(options.checks, tuple(protocols_here().values()))


def _open_app(options: RepairOptions) -> None:
    """Open the cases of the dataset, or the workbench on the one case that is named."""
    need_terminal()
    if len(options.keys) > 1:
        raise click.UsageError("The workbench opens one case; give one --case, or none.")
    repairing = (options.dataset, next(iter(options.keys), None))
    proposals = proposal_source(options.model, options.models, options.who) if options.model else None
    open_app(open_store_later(options.store), options.who, repairing=repairing, proposals=proposals)


def _default_reason(options: RepairOptions) -> str:
    if options.balance:
        return "Balanced: the options are exchanged."
    if options.rule:
        return f"Repaired by rule {options.rule}."
    return f"Repaired as {options.model or f'run {options.run}'} proposed."


def _propose(work: _Work, asked: AskedRepairs) -> None:
    """List a model's proposals, or save the accepted one."""
    options = work.options
    cases = try_proposals(work.database, work.protocol, asked, work.progress)
    if options.accept is None:
        print_proposals(cases, options.form)
        asked.check_complete()
        return
    asked.check_complete()
    tried = cases[0].accepted(options.accept)
    save_trial(work.database, tried, author=options.who, reason=work.reason, proposed_by="model")
    work.done.append(tried)
    print_table(repairs_table([tried]), options.form)
    _remark(work, "The proposal has other clauses, so it may search in other steps.")


def _by_rule(work: _Work, rule: RepairRule) -> None:
    """Repair the named cases, or those with findings that the rule may settle, and list them."""
    options = work.options
    if not options.keys and not rule.mends:
        raise RequestError(f"rule {rule.name} settles no finding by itself; name the cases with --case.")
    if options.keys:
        places = places_to_repair(work.database, options.dataset, options.keys)
    else:
        places = places_with_findings(work.database, options.dataset, rule.mends)
        if not places:
            note(
                f"No standing finding that the rule may settle; run `reviewer audit {options.dataset}` first?"
            )
    tried = []
    for number, each in enumerate(work.repair(rule, places, len(places)), start=1):
        tried.append(each)
        if work.progress:
            work.progress("Repairing", number, len(places))
    print_table(changed_texts_table(tried) if options.dry_run else repairs_table(tried), options.form)
    if options.dry_run:
        for each in tried:
            if each.why:
                note(f"{each.key} is left: {each.why}")
    note(f"Repaired by rule: {len(work.done):,} of {counted(len(places), 'case')}.")


def _balance(work: _Work, exchange: RepairRule) -> None:
    """Exchange the options of as many cases of each group as are needed, and print how even it is then."""
    places = places_without_findings(work.database, work.options.dataset, work.options.without)
    names = option_names(work.protocol, places)
    step = work.progress and partial(work.progress, "Running programs")
    right = right_options(work.protocol, places, work.runner, step)
    groups = balanced_groups(places, right, work.options.seed)
    needed = sum(group.needed for group in groups)
    tried: list[tuple[GroupBalance, list[PlaceTrial]]] = []
    for group in groups:
        tried.append((group, []))
        for each in work.repair(exchange, group.surplus, group.needed):
            tried[-1][1].append(each)
            if work.progress:
                work.progress("Exchanging", len(work.done), needed)
    table = balance_table(names, tried)
    print_table(table, work.options.form)
    if work.options.dry_run:
        note(*(f"Would exchange {done.key}" for done in work.done))
    if missing := needed - len(work.done):
        note(
            f"To balance the groups, {counted(missing, 'more case')} would be needed, but these cannot be "
            "exchanged:"
        )
        for left in (each for _, some in tried for each in some if each.why):
            note(f"  {left.key}: {left.why}")
    before = [sum(group.now[number] for group in groups) for number in (0, 1)]
    after = [sum(counts) for counts in zip(*(counts_after(*each) for each in tried), strict=True)]
    note(
        f"{names[0]} is right in {after[0]:,} cases and {names[1]} in {after[1]:,} "
        f"({before[0]:,} and {before[1]:,} before)."
    )
    if work.options.without:
        checks = " and ".join(work.options.without)
        note(f"These are {counted(len(places), 'case')} without a standing finding of {checks}.")


@contextmanager
def _told_when_stopped(work: _Work) -> Iterator[None]:
    """If somebody interrupts the work, count the saved repairs."""
    try:
        yield
    except KeyboardInterrupt:
        if not work.options.dry_run:
            note(f"Stopped: {counted(len(work.done), 'repair')} saved. The same command does the rest.")
        raise


def _remark(work: _Work, other_steps: str) -> None:
    """Say in which cases steps differ and which open studies are concerned, and audit the new contents."""
    trials = [(done.key, change) for done in work.done if done.trial for change in step_changes(done.trial)]
    if work.done and not trials:
        note("Every program takes as many steps as before.")
    for key, change in trials:
        steps = f"{steps_words(change.before)} → {steps_words(change.after)}"
        note(f"{key}, {change.variant} program: steps {steps}.")
    if trials:
        note(other_steps)
    if work.options.dry_run or not work.done:
        note("Dry run: nothing was saved." if work.options.dry_run else "Nothing was saved.")
        return
    _tell_studies(work)
    dataset = work.options.dataset
    contents = [done.trial.after.case for done in work.done if done.trial]
    step = work.progress and partial(work.progress, "Auditing")
    audit(work.database, [contents], work.runner, progress=step)
    note(f"{counted(len(contents), 'repair')} saved and audited. See: reviewer datasets history {dataset}")


def _tell_studies(work: _Work) -> None:
    with work.database.read() as session:
        concerned = Counter(
            study
            for done in work.done
            for study in open_studies_with(session, work.options.dataset, done.now.case.digest)
        )
    for study, number in concerned.items():
        note(
            f"Note: {counted(number, 'repaired case')} in study {study}, which is open; its raters still see "
            "the old content, and verdicts on it are stale."
        )
