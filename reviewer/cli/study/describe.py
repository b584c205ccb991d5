"""``reviewer study describe``: what the report says and only the study's lead knows."""

import click

from reviewer.cli.app_launch import OWN_NAME, own_name
from reviewer.cli.options import format_option, note, open_store, print_table, store_option
from reviewer.core.table import Table
from reviewer.options.shared import Format
from reviewer.study.design.description import TOPICS, describe_study
from reviewer.study.design.study_bundle import load_study
from store.records import DescriptionTopic

_EXAMPLE = (
    "Example: reviewer study describe pilot --recruitment 'Three colleagues, not paid.' "
    "--independence 'Nobody saw the answers of others.' --consent 'All agreed in writing.'"
)


@click.command("describe", epilog=_EXAMPLE)
@click.argument("name", metavar="STUDY")
@click.option("--recruitment", help="How raters were recruited, and whether they were paid.")
@click.option("--independence", help="Whether raters worked alone, and how they are related to the authors.")
@click.option("--consent", help="What raters consented to, and which ethics board approved it.")
@click.option("--as", "lead", metavar="NAME", help=f"Your name. {OWN_NAME}")
@format_option
@store_option
def study_describe_command(
    name: str,
    recruitment: str | None,
    independence: str | None,
    consent: str | None,
    lead: str | None,
    form: Format,
    store: str,
) -> None:
    """Record what the report says about recruitment, independence and consent.

    A new text replaces the earlier one on the same topic. Without options, the texts are shown. The report
    says so if a topic has no text.
    """
    database = open_store(store, must_exist=True)
    given: dict[DescriptionTopic, str | None] = {
        "recruitment": recruitment,
        "independence": independence,
        "consent": consent,
    }
    texts = {topic: text for topic, text in given.items() if text is not None}
    if texts:
        described = describe_study(database, name, lead or own_name(), texts)
    else:
        described = load_study(database, name).descriptions
    by_topic = {description.topic: description for description in described}
    rows = [
        (description.topic, description.text, description.who, description.at)
        for topic in TOPICS
        if (description := by_topic.get(topic))
    ]
    print_table(Table.of(("topic", "text", "who", "at"), rows), form)
    if missing := [topic for topic in TOPICS if topic not in by_topic]:
        note(f"Not described yet: {', '.join(missing)}. See `reviewer study describe --help`.")
