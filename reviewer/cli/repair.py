"""``reviewer repair``: cases repaired by rule, to balance a dataset, or as a model proposes."""

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from functools import partial

import click

from reviewer.cli.app_launch import need_terminal, open_app
from reviewer.cli.cluster_options import ClusterOptions, cluster_options
from reviewer.cli.finding_options import CheckName, workers_option
from reviewer.cli.model_options import ModelOptions, model_options
from reviewer.cli.options import (
    Format,
    format_option,
    note,
    open_store,
    open_store_later,
    print_table,
    protocols_here,
    store_option,
)
from reviewer.cli.progress_bars import Advance, progress_bars
from reviewer.cli.proposing import (
    print_proposals,
    proposal_source,
    propose_repairs,
    show_requests,
    worst_findings,
)
from reviewer.cli.study.acts import as_option
from reviewer.cli.without_jail import ask_without_jail, without_jail_option
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import counted, visible
from reviewer.oracle.pool import open_executor
from reviewer.oracle.program_runner import ProgramRunner
from reviewer.protocols.base import Protocol
from reviewer.protocols.repairs import RepairRule
from reviewer.runs.audit.check_texts import known_checks
from reviewer.runs.audit.dataset_audit import audit
from reviewer.runs.repair.balance import GroupBalance, balanced_groups, option_names, right_options
from reviewer.runs.repair.proposals import ProposalSource, proposal_counts
from reviewer.runs.repair.repair_tables import (
    balance_table,
    changed_texts_table,
    counts_after,
    repairs_table,
    steps_words,
)
from reviewer.runs.repair.revise import checked_words
from reviewer.runs.repair.rule_repair import (
    PlaceTrial,
    places_to_repair,
    places_with_findings,
    places_without_findings,
    repairs_of,
    rule_named,
    rule_trials,
    save_trial,
    saved_trials,
    some_trials,
    step_changes,
)
from reviewer.study.session.content_rights import check_may_change
from store.database import Database
from store.findings import PlacedFinding
from store.revisions import PlaceNow
from store.studies import open_studies_with


def _known_checks() -> tuple[str, ...]:
    return known_checks(tuple(protocols_here().values()))


@dataclass
class _Work:
    """What the repairs of one call share, and the cases that they have repaired so far."""

    database: Database
    dataset: str
    protocol: Protocol
    executor: Executor
    runner: ProgramRunner
    progress: Advance | None
    author: str
    reason: str
    dry_run: bool
    without: tuple[str, ...] = ()
    done: list[PlaceTrial] = field(default_factory=list)

    def repair(self, rule: RepairRule, places: Sequence[PlaceNow], most: int) -> Iterator[PlaceTrial]:
        """Repair places in order until ``most`` are repaired; a dry run saves nothing."""
        with closing(rule_trials(self.database, self.protocol, rule, places, self.executor)) as trials:
            for tried in some_trials(trials, most) if self.dry_run else self._saved(trials, most):
                if tried.trial is not None:
                    self.done.append(tried)
                yield tried

    def _saved(self, trials: Iterator[PlaceTrial], most: int) -> Iterator[PlaceTrial]:
        return saved_trials(self.database, trials, most, author=self.author, reason=self.reason)


@click.command("repair", epilog="Example: reviewer repair gpt-4o-mini --balance --dry-run")
@click.argument("dataset", metavar="DATASET")
@click.option(
    "--rule",
    metavar="NAME",
    help="Apply this rule to the cases given by --case. Default: to all cases with a finding that the rule "
    "may settle. `reviewer manual repairing` describes the rules.",
)
@click.option("--case", "keys", multiple=True, metavar="KEY", help="Only this case; may be repeated.")
@click.option(
    "--balance",
    is_flag=True,
    help="Exchange the options of some cases, so that each option is right equally often in every group.",
)
@click.option(
    "--without",
    multiple=True,
    metavar="CHECK",
    help="With --balance: only among cases without a standing finding of this check, as `release make "
    "--without` leaves them out. May be repeated.",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Random seed of --balance. A different seed chooses different cases.",
)
@click.option(
    "--propose",
    is_flag=True,
    help="Ask a language model (--model) for repairs of the worst finding of each case, run them, and list "
    "them. Nothing is saved without --accept.",
)
@click.option("--model", metavar="NAME", help="The model that --propose, or P in the workbench, asks.")
@click.option(
    "--check",
    "checks",
    multiple=True,
    metavar="NAME",
    type=CheckName(_known_checks),
    help="With --propose: only findings of this check; may be repeated.",
)
@click.option(
    "--accept",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="With --propose and one --case: save the proposal of this number.",
)
@click.option(
    "--proposals",
    is_flag=True,
    help="Count, for each check, the requests to models, the proposals, and those that were accepted.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="Try the repairs, or print the first request to a model. Nothing is sent or saved.",
)
@as_option
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why, in a few words. It is kept in the history. Default: the rule, or the model.",
)
@workers_option
@cluster_options
@model_options
@without_jail_option
@format_option
@store_option
def repair_command(
    dataset: str,
    rule: str | None,
    keys: tuple[str, ...],
    balance: bool,
    without: tuple[str, ...],
    seed: int,
    propose: bool,
    model: str | None,
    checks: tuple[str, ...],
    accept: int | None,
    proposals: bool,
    dry_run: bool,
    who: str,
    reason: str | None,
    workers: int | None,
    cluster: ClusterOptions,
    models: ModelOptions,
    accepted: bool,
    form: Format,
    store: str,
) -> None:
    """Repair cases of DATASET.

    Without --rule, --balance, --propose or --proposals, the app lists the cases of the dataset, and `E` opens
    the workbench on one of them. With --case KEY, the app opens the workbench on that case at once.

    A repair puts new content at the place of a case. The old content stays in the history, and verdicts on it
    are stale. Before a repair is saved, its programs are run. The case stays as it is if a program reaches no
    decision, or another decision than the rule intends. Each repair is saved as it is done. You can interrupt
    the command at any time and call it again to continue. With --cluster, workers run the programs of all
    cases for --balance, and audit what was repaired; repairs are tried on this machine.
    """
    _check_options([rule, balance, propose, proposals], keys, balance or proposals, without, balance)
    if propose and (not model or (accept and len(keys) != 1)):
        raise click.UsageError("--propose needs --model NAME, and --accept needs exactly one --case.")
    _check_model(model, models)
    with ExitStack() as stack:
        database = stack.enter_context(closing(open_store(store, must_exist=True)))
        check_may_change(database, dataset, who)
        protocol, repairs = repairs_of(database, dataset)
        if proposals:
            print_table(proposal_counts(database, dataset), form)
            return
        if not (rule or balance or propose):
            _open_app(store, dataset, keys, who, proposal_source(model, models) if model else None)
            return
        chosen = rule_named(repairs, rule) if rule else repairs.exchange
        said = _default_reason(rule, balance, model) if reason is None else reason
        checked_words(who, said)
        ask_without_jail(accepted)
        progress = stack.enter_context(progress_bars())
        executor = stack.enter_context(open_executor(workers))
        runner = stack.enter_context(cluster.runner(executor, accepted=accepted))
        work = _Work(database, dataset, protocol, executor, runner, progress, who, said, dry_run, without)
        if propose:
            _propose(work, worst_findings(database, dataset, keys, checks), str(model), models, accept, form)
        else:
            _apply(work, chosen, keys, seed if balance else None, form)


def _apply(work: _Work, rule: RepairRule | None, keys: Sequence[str], seed: int | None, form: Format) -> None:
    """Repair by rule; with a ``seed``, to balance the dataset."""
    if rule is None:
        raise RequestError(f"cases of {work.protocol.title} have no options to exchange.")
    with _told_when_stopped(work):
        if seed is None:
            _by_rule(work, rule, keys, form)
        else:
            _balance(work, rule, seed, form)
    _remark(work, rule.other_steps)


def _check_options(
    actions: Sequence[object], keys: Sequence[str], whole: bool, without: Sequence[str], balance: bool
) -> None:
    """Refuse several actions, single cases where the action is for whole datasets, and a choice of cases
    where nothing is balanced.
    """
    if without and not balance:
        raise click.UsageError("--without is for --balance; leave it out, or add --balance.")
    if sum(map(bool, actions)) > 1:
        raise click.UsageError("Give only one of --rule NAME, --balance, --propose and --proposals.")
    if keys and whole:
        raise click.UsageError("--balance and --proposals are for whole datasets; leave --case out.")


def _check_model(model: str | None, models: ModelOptions) -> None:
    """Refuse what keeps the model from being asked, and recordings where none is."""
    if model:
        models.check(model)
    elif models.replay or models.record:
        raise click.UsageError("--replay and --record are for a model's proposals; give --model NAME.")


def _open_app(store: str, dataset: str, keys: Sequence[str], who: str, source: ProposalSource | None) -> None:
    """Open the cases of the dataset, or the workbench on the one case that is named."""
    need_terminal()
    if len(keys) > 1:
        raise click.UsageError("The workbench opens one case; give one --case, or none.")
    open_app(open_store_later(store), who, repairing=(dataset, next(iter(keys), None)), proposals=source)


def _default_reason(rule: str | None, balance: bool, model: str | None) -> str:
    if balance:
        return "Balanced: the options are exchanged."
    return f"Repaired by rule {rule}." if rule else f"Repaired as {model} proposed."


def _propose(
    work: _Work,
    wanted: Sequence[tuple[PlaceNow, PlacedFinding]],
    model: str,
    models: ModelOptions,
    accept: int | None,
    form: Format,
) -> None:
    """List a model's proposals, or save the accepted one."""
    if work.dry_run:
        show_requests(work.protocol, work.dataset, wanted, model)
        return
    cases = propose_repairs(work.database, work.protocol, work.dataset, wanted, model, models, work.progress)
    if accept is None:
        print_proposals(cases, form)
        return
    tried = cases[0].accepted(accept)
    save_trial(work.database, tried, author=work.author, reason=work.reason, proposed_by="model")
    work.done.append(tried)
    print_table(repairs_table([tried]), form)
    _remark(work, "The proposal has other clauses, so it may search in other steps.")


def _by_rule(work: _Work, rule: RepairRule, keys: Sequence[str], form: Format) -> None:
    """Repair the named cases, or those with findings that the rule may settle, and list them."""
    if not keys and not rule.mends:
        raise RequestError(f"rule {rule.name} settles no finding by itself; name the cases with --case.")
    if keys:
        places = places_to_repair(work.database, work.dataset, keys)
    else:
        places = places_with_findings(work.database, work.dataset, rule.mends)
        if not places:
            note(f"No standing finding that the rule may settle; run `reviewer audit {work.dataset}` first?")
    tried = []
    for number, each in enumerate(work.repair(rule, places, len(places)), start=1):
        tried.append(each)
        if work.progress:
            work.progress("Repairing", number, len(places))
    print_table(changed_texts_table(tried) if work.dry_run else repairs_table(tried), form)
    if work.dry_run:
        for each in tried:
            if each.why:
                note(visible(f"{each.key} is left: {each.why}"))
    note(f"Repaired by rule: {len(work.done):,} of {counted(len(places), 'case')}.")


def _balance(work: _Work, exchange: RepairRule, seed: int, form: Format) -> None:
    """Exchange the options of as many cases of each group as are needed, and print how even it is then."""
    places = places_without_findings(work.database, work.dataset, work.without)
    names = option_names(work.protocol, places)
    step = work.progress and partial(work.progress, "Running programs")
    right = right_options(work.protocol, places, work.runner, step)
    groups = balanced_groups(places, right, seed)
    needed = sum(group.needed for group in groups)
    tried: list[tuple[GroupBalance, list[PlaceTrial]]] = []
    for group in groups:
        tried.append((group, []))
        for each in work.repair(exchange, group.surplus, group.needed):
            tried[-1][1].append(each)
            if work.progress:
                work.progress("Exchanging", len(work.done), needed)
    table = balance_table(names, tried)
    print_table(table, form)
    if work.dry_run:
        for done in work.done:
            note(visible(f"Would exchange {done.key}"))
    if missing := needed - len(work.done):
        note(
            f"To balance the groups, {counted(missing, 'more case')} would be needed, but these cannot be "
            "exchanged:"
        )
        for left in (each for _, some in tried for each in some if each.why):
            note(visible(f"  {left.key}: {left.why}"))
    before = [sum(group.now[number] for group in groups) for number in (0, 1)]
    after = [sum(counts) for counts in zip(*(counts_after(*each) for each in tried), strict=True)]
    note(
        f"{names[0]} is right in {after[0]:,} cases and {names[1]} in {after[1]:,} "
        f"({before[0]:,} and {before[1]:,} before)."
    )
    if work.without:
        checks = " and ".join(work.without)
        note(visible(f"These are {counted(len(places), 'case')} without a standing finding of {checks}."))


@contextmanager
def _told_when_stopped(work: _Work) -> Iterator[None]:
    """If somebody interrupts the work, say what is saved."""
    try:
        yield
    except KeyboardInterrupt:
        if not work.dry_run:
            note(f"Stopped: {counted(len(work.done), 'repair')} saved. The same command does the rest.")
        raise


def _remark(work: _Work, other_steps: str) -> None:
    """Say in which cases steps differ and which open studies are concerned, and audit the new contents."""
    trials = [(done.key, change) for done in work.done if done.trial for change in step_changes(done.trial)]
    if work.done and not trials:
        note("Every program takes as many steps as before.")
    for key, change in trials:
        steps = f"{steps_words(change.before)} → {steps_words(change.after)}"
        note(visible(f"{key}, {change.variant} program: steps {steps}."))
    if trials:
        note(other_steps)
    if work.dry_run or not work.done:
        note("Dry run: nothing was saved." if work.dry_run else "Nothing was saved.")
        return
    _tell_studies(work)
    contents = [done.trial.after.case for done in work.done if done.trial]
    step = work.progress and partial(work.progress, "Auditing")
    audit(work.database, [contents], work.runner, progress=step)
    note(
        f"{counted(len(contents), 'repair')} saved and audited. See: reviewer datasets history {work.dataset}"
    )


def _tell_studies(work: _Work) -> None:
    with work.database.read() as session:
        concerned = Counter(
            study
            for done in work.done
            for study in open_studies_with(session, work.dataset, done.now.case.digest)
        )
    for study, number in concerned.items():
        note(
            f"Note: {counted(number, 'repaired case')} in study {study}, which is open; its raters still see "
            "the old content, and verdicts on it are stale."
        )
