"""What only the authors of a dataset can say: asked for once, kept in the store, printed in its releases."""

from collections.abc import Mapping
from typing import get_args

from reviewer.core.names import checked_name
from reviewer.core.table import Table
from reviewer.study.design.design_facts import checked_text
from store.cases import get_dataset
from store.clock import instant, now_ms
from store.database import Database
from store.descriptions import dataset_descriptions_of, describe
from store.records import DatasetDescription, DatasetTopic

DATASET_TOPICS: tuple[DatasetTopic, ...] = get_args(DatasetTopic)
PROPERTIES: Mapping[DatasetTopic, str] = {
    "collection": "rai:dataCollection",
    "source": "prov:wasDerivedFrom",
    "biases": "rai:dataBiases",
    "limitations": "rai:dataLimitations",
    "sensitive": "rai:personalSensitiveInformation",
    "uses": "rai:dataUseCases",
    "impact": "rai:dataSocialImpact",
    "maintenance": "rai:dataReleaseMaintenancePlan",
}
"""The property of Croissant's metadata that has the text of each topic."""
TOPIC_WORDS: Mapping[DatasetTopic, str] = {
    "collection": "how the cases were collected",
    "source": "what the cases were derived from",
    "biases": "biases",
    "limitations": "limitations",
    "sensitive": "personal and sensitive information",
    "uses": "use cases",
    "impact": "social impact",
    "maintenance": "maintenance",
}
"""Each topic in the words of the card."""


def describe_dataset(
    database: Database, dataset: str, who: str, texts: Mapping[DatasetTopic, str]
) -> dict[DatasetTopic, DatasetDescription]:
    """Save the authors' texts on these topics; returns the texts on all topics. Raises RequestError."""
    at = instant(now_ms())
    with database.read() as session:
        get_dataset(session, dataset)
    said = [
        DatasetDescription(
            dataset=dataset,
            topic=topic,
            text=checked_text(topic, text),
            who=checked_name("author", who),
            at=at,
        )
        for topic, text in texts.items()
    ]
    describe(database, said)
    return described(database, dataset)


def described(database: Database, dataset: str) -> dict[DatasetTopic, DatasetDescription]:
    """The texts about a dataset by topic, in the order of the topics."""
    with database.read() as session:
        texts = {each.topic: each for each in dataset_descriptions_of(session, [dataset])}
    return {topic: texts[topic] for topic in DATASET_TOPICS if topic in texts}


def description_table(texts: Mapping[DatasetTopic, DatasetDescription]) -> Table:
    """A row for each text, with the property that has it."""
    rows = [(topic, PROPERTIES[topic], each.text, each.who, each.at) for topic, each in texts.items()]
    return Table.of(("topic", "property", "text", "who", "at"), rows)
