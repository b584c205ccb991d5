"""``reviewer study new``: draws a sample and freezes it."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from shlex import quote

import click

from reviewer.cli.app_launch import OWN_NAME, own_name
from reviewer.cli.options import note, open_store, store_option
from reviewer.cli.study import EXAMPLE
from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.exchange.rows.case_list import read_case_list
from reviewer.exchange.rows.guideline_file import read_briefing, read_guidelines
from reviewer.exchange.rows.known_answers_csv import read_known_answers
from reviewer.protocols.registry import protocols_of
from reviewer.runs.audit.dataset_audit import MARK
from reviewer.runs.check.dataset_findings import repeating_cases
from reviewer.study.design.design_facts import panels_in_words
from reviewer.study.design.known_answers import GivenAnswer
from reviewer.study.design.listed_cases import ListedCase
from reviewer.study.design.sampling import Design, create_study
from reviewer.study.design.study_design import Asking, Options, Reveal, StudyDesign
from reviewer.study.session.blinding import generators_told_by_names
from store.cases import find_dataset, places_of
from store.database import Database
from store.findings import failed_checks_in, failed_findings, marks_in
from store.records import Membership, Study, View
from store.revisions import revised_since
from store.studies import sample_of

_ANSWERS = "CSV with the columns dataset, key, question, label and why"


@click.command("new", epilog=EXAMPLE)
@click.argument("name")
@click.option("--dataset", "datasets", multiple=True, help="Draw cases from this dataset; may be repeated.")
@click.option(
    "--cases",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Use exactly the cases listed in this file, in its order. The file is a CSV with the columns "
    "dataset and key; an exported labels.csv works. With exactly one --dataset, the file can also be "
    "a plain list with one key per line.",
)
@click.option(
    "--per-group",
    type=click.IntRange(min=1),
    help="Number of cases to draw from each group of each dataset. Default: all.",
)
@click.option(
    "--total",
    type=click.IntRange(min=1),
    help="Number of cases to draw in all, spread evenly over the groups of each dataset. Instead of "
    "--per-group.",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    help="Random seed of the sample and of the order in which raters see cases.",
)
@click.option(
    "--view",
    type=click.Choice(["full", "paper"]),
    default="full",
    show_default=True,
    help="full: raters see programs and proofs beside the texts. paper: raters see only the texts before "
    "they answer, as in the protocol's paper.",
)
@click.option(
    "--asking",
    type=click.Choice(["question", "case"]),
    default="question",
    show_default=True,
    help="question: answer one question for all cases, then the next; case: answer all questions of one "
    "case first.",
)
@click.option(
    "--reveal",
    type=click.Choice(["none", "back", "findings"]),
    default="back",
    show_default=True,
    help="When raters see automatic findings. back: after answering, if they return to the case and ask for "
    "the findings; the answer is then final. findings: right after answering; they then give a second "
    "verdict, and both are kept. none: never.",
)
@click.option(
    "--repeats",
    type=click.FloatRange(0, 0.5),
    default=0.0,
    metavar="SHARE",
    help="Show this share of the cases twice, far apart, to measure how far raters agree with themselves.",
)
@click.option(
    "--swap",
    is_flag=True,
    help="For questions that allow it, show the two texts of a case in random order (left or right).",
)
@click.option(
    "--question",
    "questions",
    multiple=True,
    metavar="KEY",
    help="Ask only this question, named by its key or title; may be repeated. Default: all.",
)
@click.option(
    "--guideline",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="TOML file with your own guidelines. Each question has a table, such as [same_task], with the key "
    "guideline. Examples are optional: [[same_task.examples]] with the keys case, label and why. Questions "
    "without a table keep the protocol's guideline.",
)
@click.option(
    "--briefing",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="A text of at most 2,000 characters on what the study is for. Raters read it before they begin. "
    "Below it, the program explains time, blinding and what counts.",
)
@click.option(
    "--training",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"A round with feedback before the study: {_ANSWERS}.",
)
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help=f"Cases with known answers, mixed among the others: {_ANSWERS}.",
)
@click.option(
    "--include-seeds",
    is_flag=True,
    help="Draw hand-written cases too. By default they are left out if there are generated ones.",
)
@click.option(
    "--finding",
    "findings",
    multiple=True,
    metavar="CHECK",
    help="Draw only cases with an open finding of this check, or cases that a check of the whole dataset "
    "lists, such as repeated_questions; may be repeated.",
)
@click.option(
    "--others",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --finding or --revised-since: also draw this number of other cases, spread evenly over the "
    "groups, so that raters cannot expect a fault in every case.",
)
@click.option(
    "--revised-since",
    "since",
    metavar="DATE",
    help="Draw only cases whose content was repaired on this day or later, such as 2026-05-01.",
)
@click.option(
    "--beside-old",
    is_flag=True,
    help="With --revised-since: raters see the texts before the repair beside the new ones. Packs hold both.",
)
@click.option(
    "--rater",
    "raters",
    multiple=True,
    help="A person who may rate; may be repeated. Default: anybody may rate.",
)
@click.option(
    "--raters-per-case",
    type=click.IntRange(min=1),
    metavar="K",
    help="With --rater: how many of these raters see each case. All raters get about the same number of "
    "cases, and so do all pairs of raters. Default: all raters see all cases.",
)
@click.option(
    "--training-pass",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="With --training: the share of its answers that a rater should match. You are warned of raters who "
    "do not; they can still rate.",
)
@click.option("--lead", default=own_name, help=f"Who leads the study, see `reviewer study lead`. {OWN_NAME}")
@store_option
def study_new_command(
    name: str,
    datasets: tuple[str, ...],
    cases: Path | None,
    per_group: int | None,
    total: int | None,
    seed: int,
    view: View,
    asking: Asking,
    reveal: Reveal,
    repeats: float,
    swap: bool,
    questions: tuple[str, ...],
    guideline: Path | None,
    briefing: Path | None,
    training: Path | None,
    gold: Path | None,
    include_seeds: bool,
    findings: tuple[str, ...],
    others: int | None,
    since: str | None,
    beside_old: bool,
    raters: tuple[str, ...],
    raters_per_case: int | None,
    training_pass: float | None,
    lead: str,
    store: str,
) -> None:
    """Draw a stratified sample and freeze it with its questions and random seed.

    Cases of the --training and --gold files are not part of the random sample. Raters see them, but their
    answers do not count in agreement or pass rates.
    """
    drawing = {
        "--per-group": per_group is not None,
        "--total": total is not None,
        "--include-seeds": include_seeds,
        "--finding": bool(findings),
        "--others": others is not None,
        "--revised-since": since is not None,
    }
    listed = _listed(cases, datasets, [option for option, given in drawing.items() if given])
    if others is not None and since is None and not findings:
        raise click.UsageError(
            "--others draws cases beside those of --finding CHECK or --revised-since DATE."
        )
    if beside_old and since is None:
        raise click.UsageError("--beside-old is about repaired cases; give --revised-since DATE too.")
    if training_pass is not None and training is None:
        raise click.UsageError("--training-pass is about the training round; give its --training FILE too.")
    options = Options(
        asking=asking,
        reveal=reveal,
        swap=swap,
        repeats=repeats,
        briefing=read_briefing(briefing) if briefing else "",
        training_pass=training_pass,
    )
    chosen, given = tuple(dict.fromkeys(datasets)), _given(training, gold)
    database = open_store(store, must_exist=True)
    only = _with_findings(database, chosen, findings) if findings else None
    before = {} if since is None else _revised(database, chosen, since, only)
    if since is not None:
        only = frozenset(before)
    design = Design(
        chosen,
        per_group,
        seed,
        view,
        include_seeds,
        raters,
        options,
        given,
        only,
        listed,
        questions,
        read_guidelines(guideline) if guideline else (),
        total,
        revised_since=since or "",
        before=before if beside_old else {},
        raters_per_case=raters_per_case,
        others=others or 0,
    )
    study = create_study(database, name, design, lead)
    _warn_of_names(database, study)
    _say_what_was_drawn(name, StudyDesign.of(study), lead, next(iter(raters), "YOUR-NAME"))


def _listed(cases: Path | None, datasets: Sequence[str], others: Sequence[str]) -> tuple[ListedCase, ...]:
    """The cases of a list, which nothing else may choose from."""
    if cases is None:
        if not datasets:
            raise click.UsageError("Give --dataset to draw from, or --cases with a list of cases.")
        return ()
    if cases.name.isdigit() and not cases.exists():
        raise click.UsageError(
            f"--cases names a file with a list of cases; to draw {cases}, give --total {cases}."
        )
    if others:
        raise click.UsageError(f"--cases lists every case of the sample; leave {', '.join(others)} out.")
    listed = tuple(read_case_list(cases))
    if lost := next((line for line in listed if line.dataset is None and not datasets), None):
        raise InputError(lost.where, "names no dataset", "give --dataset, or add a column dataset")
    return listed


def _with_findings(database: Database, datasets: Sequence[str], checks: Sequence[str]) -> frozenset[str]:
    """Digests of the cases on which one of the checks found something."""
    with database.read() as session:
        headers = [header for name in datasets if (header := find_dataset(session, name))]
    held = [header.name for header in headers]
    repeating = {place.case for dataset in held for place in _repeating(database, dataset, checks)}
    protocols = protocols_of(database)
    whole = {check for header in headers for check in protocols.named(header.protocol).dataset_checks}
    with database.read() as session:
        findings = [finding for dataset in held for finding in failed_findings(session, dataset, checks)]
        bare = [
            dataset
            for dataset in held
            if not whole.issuperset(checks)
            and not (findings or marks_in(session, dataset, MARK) or failed_checks_in(session, dataset))
        ]
    if bare:
        raise RequestError(
            f"dataset {bare[0]!r} has not been audited, so it has no findings; run "
            f"`reviewer audit {quote(bare[0])}` first."
        )
    if not (findings or repeating):
        raise RequestError(
            f"no case of {', '.join(datasets)} has a finding of {one_line(' or '.join(checks))}; "
            "see `reviewer audit DATASET --summary check`."
        )
    return frozenset({placed.place.case for placed in findings} | repeating)


def _repeating(database: Database, dataset: str, checks: Sequence[str]) -> list[Membership]:
    """The places of cases that repeat each other by one of the checks of the whole dataset."""
    keys = repeating_cases(database, dataset, checks)
    with database.read() as session:
        return [place for place in places_of(session, dataset) if place.key in keys] if keys else []


def _revised(
    database: Database, datasets: Sequence[str], since: str, only: frozenset[str] | None
) -> dict[str, str]:
    """The cases that were repaired since a day, among ``only`` these if they are given, as digests.

    Each stands with its content before.
    """
    try:
        day = date.fromisoformat(since).isoformat()
    except ValueError as error:
        raise click.UsageError(
            f"--revised-since {one_line(since, 40)!r} is not a date; give year, month and day as 2026-05-01."
        ) from error
    with database.read() as session:
        earlier = revised_since(session, datasets, day)
    earlier = {case: before for case, before in earlier.items() if only is None or case in only}
    if not earlier:
        raise RequestError(
            f"no case of {', '.join(datasets)} that fits was repaired since {day}; "
            "see `reviewer datasets history DATASET`."
        )
    return earlier


def _given(training: Path | None, gold: Path | None) -> tuple[GivenAnswer, ...]:
    return (
        *(read_known_answers(training, "training") if training else ()),
        *(read_known_answers(gold, "gold") if gold else ()),
    )


def _warn_of_names(database: Database, study: Study) -> None:
    """Say whose name raters can read in a dataset's name or a key, though the protocol hides generators."""
    protocol = protocols_of(database).named(study.protocol)
    with database.read() as session:
        sample = sample_of(session, study.name)
    if told := generators_told_by_names(protocol, sample):
        note(
            f"Raters see datasets and keys, and these name {', '.join(map(one_line, told))}, though the "
            f"protocol {protocol.name} hides who wrote cases. To keep it hidden, import the cases under "
            "neutral names, and draw the study again."
        )


def _say_what_was_drawn(name: str, drawn: StudyDesign, lead: str, rater: str) -> None:
    parts = ", ".join(f"{question} {count}" for question, count in drawn.asked.items())
    click.echo(f"{name}: {counted(drawn.cases, 'case')}, {drawn.slots_in_words} a rater ({parts})")
    if drawn.panels:
        note(f"Raters of each case: {panels_in_words(drawn)}.")
    extra = {
        counted(drawn.training, "training case"): drawn.training,
        counted(drawn.gold, "gold case"): drawn.gold,
        f"the second showing of {counted(len(drawn.repeated), 'case')}": drawn.repeated,
    }
    if extras := [words for words, holds in extra.items() if holds]:
        note(f"The verdicts include {', '.join(extras)}, which are not counted in agreement.")
    for dataset, groups in drawn.lacking.items():
        note(f"Dataset {dataset} has {_no_case(drawn)} in {', '.join(groups)}.")
    for dataset, number in drawn.withdrawn.items():
        are = agreeing(number, "is", "are")
        note(f"In dataset {dataset} {counted(number, 'case')} {are} withdrawn and so not drawn.")
    note(f"Its lead is {lead}; `reviewer study lead {name} NAME` names another.")
    note(f"Begin with: reviewer review {name} --rater {quote(rater)}")


def _no_case(drawn: StudyDesign) -> str:
    """Which cases of a dataset there were to draw from, where there is none."""
    if drawn.listed:
        return "no case of the list"
    if drawn.revised_since:
        return "no case that was asked for"
    return "no case with such a finding" if drawn.picked else "no case that could be drawn"
