"""Facts that only a study's lead knows: how raters were found, whether they worked alone, consent."""

from collections.abc import Mapping
from typing import get_args

from reviewer.core.errors import RequestError
from reviewer.core.names import checked_name
from reviewer.core.sanitize import is_blank, strange_character
from reviewer.study.design.study_bundle import load_frame
from store.clock import instant, now_ms
from store.database import Database
from store.descriptions import describe
from store.records import DescriptionTopic, StudyDescription

TOPICS: tuple[DescriptionTopic, ...] = get_args(DescriptionTopic)
MOST_CHARACTERS = 4000


def describe_study(
    database: Database, name: str, who: str, texts: Mapping[DescriptionTopic, str]
) -> tuple[StudyDescription, ...]:
    """Save the lead's texts on these topics; returns the texts on all topics. Raises RequestError."""
    load_frame(database, name)
    checked_name("lead", who)
    at = instant(now_ms())
    said = [
        StudyDescription(study=name, topic=topic, text=checked_text(topic, text), who=who, at=at)
        for topic, text in texts.items()
    ]
    describe(database, said)
    return load_frame(database, name).descriptions


def checked_text(topic: str, text: str) -> str:
    """A text on a topic as it is kept; raises RequestError."""
    if strange := strange_character(text):
        raise RequestError(f"the text on {topic} holds {strange}, which cannot be kept; take it out.")
    if is_blank(text):
        raise RequestError(f"the text on {topic} is empty; write a sentence, or leave --{topic} out.")
    if len(text) > MOST_CHARACTERS:
        raise RequestError(
            f"the text on {topic} has {len(text):,} characters; shorten it to at most {MOST_CHARACTERS:,}."
        )
    return text.strip()
