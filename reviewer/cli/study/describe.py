"""``reviewer study describe``: what the report says and only the study's lead knows."""

from reviewer.cli.options import note, open_store, print_table
from reviewer.core.table import Table
from reviewer.options.shared import own_name
from reviewer.options.study import StudyDescribeOptions
from reviewer.study.design.description import TOPICS, describe_study
from reviewer.study.design.study_bundle import load_study
from store.records import DescriptionTopic


def study_describe_command(options: StudyDescribeOptions) -> None:
    """Carry out ``reviewer study describe``."""
    database = open_store(options.store, must_exist=True)
    given: dict[DescriptionTopic, str | None] = {
        "recruitment": options.recruitment,
        "independence": options.independence,
        "consent": options.consent,
    }
    texts = {topic: text for topic, text in given.items() if text is not None}
    if texts:
        described = describe_study(database, options.name, options.lead or own_name(), texts)
    else:
        described = load_study(database, options.name).descriptions
    by_topic = {description.topic: description for description in described}
    rows = [
        (description.topic, description.text, description.who, description.at)
        for topic in TOPICS
        if (description := by_topic.get(topic))
    ]
    print_table(Table.of(("topic", "text", "who", "at"), rows), options.form)
    if missing := [topic for topic in TOPICS if topic not in by_topic]:
        note(f"Not described yet: {', '.join(missing)}. See `reviewer study describe --help`.")
