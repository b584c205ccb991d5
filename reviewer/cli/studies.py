"""``study new|list|show`` and ``progress``."""

import click

from reviewer.cli.deciding import act_in_words, close_command, reopen_command
from reviewer.cli.describe import describe_command
from reviewer.cli.new_study import EXAMPLE, new_command
from reviewer.cli.options import Format, format_option, note, open_store, print_table, store_option
from reviewer.cli.packing import pack_command
from reviewer.cli.result_options import coefficient_option, level_option
from reviewer.cli.serving import link_command, links_command
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_single_line
from reviewer.core.table import Table
from reviewer.study.design.study_bundle import load_study
from reviewer.study.session.rater_progress import StudyProgress, progress_of, study_progress
from store.studies import set_profile


@click.group("study", epilog=EXAMPLE)
def study_group() -> None:
    """Plan a sample for experts to review, draw it, and look at what was drawn."""


study_group.add_command(new_command)


@study_group.command("list", epilog="Example: reviewer study list")
@format_option
@store_option
def list_command(form: Format, store: str) -> None:
    """List the studies."""
    found = study_progress(open_store(store, must_exist=True))
    rows = [
        (
            p.study.name,
            p.study.protocol,
            p.cases,
            p.questions,
            len(p.raters),
            p.study.view,
            p.study.seed,
            _state(p),
        )
        for p in found
    ]
    columns = ("study", "protocol", "cases", "questions", "raters", "view", "seed", "state")
    print_table(Table.of(columns, rows), form)
    if not found:
        note(f"No studies yet. {EXAMPLE}")


@study_group.command("show", epilog="Example: reviewer study show pilot --format csv")
@click.argument("name")
@format_option
@store_option
def show_study_command(name: str, form: Format, store: str) -> None:
    """Show a study's sample, and its design and questions on stderr."""
    bundle = load_study(open_store(store, must_exist=True), name)
    study = bundle.study
    note(
        f"{name}: {bundle.protocol.title}, seed {study.seed}, view {study.view}, by {bundle.design.asking}, "
        f"made {study.created_at}"
    )
    for question in bundle.questions:
        asked = counted(len(bundle.slots(question)), "case")
        note(f"- {question.title} ({asked}; {', '.join(question.labels)})")
    for act in bundle.acts:
        note(act_in_words(act))
    rows = [
        (place.position + 1, place.dataset, place.key, place.generator, place.group, place.case[:12])
        for place in bundle.sample
    ]
    print_table(Table.of(("position", "dataset", "key", "generator", "group", "case"), rows), form)
    if bundle.stale:
        number = len(bundle.stale)
        verb = agreeing(number, "is", "are")
        note(f"{counted(number, 'case')} {verb} stale: the content at its place in the dataset has changed.")


study_group.add_command(close_command)
study_group.add_command(reopen_command)

_PLAN_EXAMPLE = "Example: reviewer study plan --raters 3 --true-share .95 --agreement .9"


@study_group.command("plan", epilog=_PLAN_EXAMPLE)
@click.option("--raters", type=click.IntRange(2, 50), required=True, help="How many rate each case.")
@click.option("--true-share", type=float, required=True, help="Expected share of True among the labels.")
@click.option("--agreement", type=float, required=True, help="Expected share of cases on which all agree.")
@click.option(
    "--width", type=float, default=0.1, show_default=True, help="Wanted half-width of the intervals."
)
@coefficient_option
@level_option
@format_option
def plan_command(
    raters: int,
    true_share: float,
    agreement: float,
    width: float,
    coefficients: tuple[str, ...],
    level: float,
    form: Format,
) -> None:
    """Plan how many cases a study needs, before there is one: for questions with two labels."""
    from reviewer.study.statistics.sample_size import planned_before

    found = planned_before(raters, true_share, agreement, width, level, coefficients)
    rows = [(key, plan.value, plan.cases, plan.reason) for key, plan in found.items()]
    print_table(Table.of(("coefficient", "expected value", "cases", "why not"), rows), form)
    note(
        f"Cases for a half-width of {width:g} at {level:.0%}, where {raters} raters label all of them, "
        f"{true_share:.0%} of labels are True and all agree on {agreement:.0%} of cases."
    )


_PROFILE_EXAMPLE = "Example: reviewer study profile pilot --rater anna --degree MSc --years 5"


@study_group.command("profile", epilog=_PROFILE_EXAMPLE)
@click.argument("name", metavar="STUDY")
@click.option("--rater", required=True, help="Who this is about.")
@click.option("--field", help="Field of work or study.")
@click.option("--degree", help="Highest degree.")
@click.option("--years", type=click.IntRange(0, 100), help="Years of experience.")
@store_option
def profile_command(
    name: str, rater: str, field: str | None, degree: str | None, years: int | None, store: str
) -> None:
    """Keep what a rater cares to tell; the report sums it up without names. What is left out is forgotten."""
    database = open_store(store, must_exist=True)
    load_study(database, name)
    for told in (field, degree):
        if told is not None and (len(told) > 200 or not is_single_line(told)):
            raise RequestError("a field or degree is one line of at most 200 characters.")
    try:
        set_profile(database, name, rater, field or None, degree or None, years)
    except KeyError as error:
        raise RequestError(
            f"rater {rater!r} is not in study {name!r}; see `reviewer progress {name}`."
        ) from error


@click.command("progress", epilog="Example: reviewer progress pilot")
@click.argument("name", metavar="STUDY")
@format_option
@store_option
def progress_command(name: str, form: Format, store: str) -> None:
    """Show how far each rater of a study is (not what they answered)."""
    progress = progress_of(open_store(store, must_exist=True), name)
    rows = [
        (rater.rater, rater.done, rater.skipped, progress.slots, rater.done / progress.slots)
        for rater in progress.raters
    ]
    print_table(Table.of(("rater", "labelled", "skipped", "of", "share"), rows), form)
    if not rows:
        note(f"Nobody has begun. Begin with: reviewer review {name} --rater YOUR-NAME")


def _state(progress: StudyProgress) -> str:
    if progress.study.closed_at:
        return "closed"
    return "all done" if progress.finished else "open"


study_group.add_command(describe_command)
study_group.add_command(pack_command)
study_group.add_command(link_command)
study_group.add_command(links_command)
