"""Scripts of dialogues and open questions, made for tests of ours."""

from collections.abc import Sequence

from reviewer.protocols.staged_dialogues.question_evaluation import OPEN_ANSWERS
from reviewer.protocols.staged_dialogues.scripts_protocol import DialogueScripts, OpenQuestions
from reviewer.protocols.staged_dialogues.transcripts_protocol import TRANSCRIPTS
from store.case_import import Entry, import_entries, published_at
from store.database import Database
from store.records import Case, Dataset, JsonValue, Membership
from tests.studies import AT

SCRIPTS, QUESTIONS = DialogueScripts(), OpenQuestions()
THEMES: dict[str, JsonValue] = {"themes": ["a mill"]}
"""What generation needs."""
ROLES = (
    {
        "name": "Ada",
        "kind": "subject",
        "background": "Ada runs a bakery.",
        "task": "Ada decides what to buy.",
    },
    {"name": "Ben", "kind": "confederate", "background": "Ben sells ovens.", "task": "Ben praises the oven."},
    {
        "name": "Cleo",
        "kind": "moderator",
        "background": "Cleo keeps time.",
        "task": "Cleo asks for decisions.",
    },
)
RULES = (
    {
        "mode": "self-receiving",
        "purpose": "receive from system",
        "text": "Ada learns what the oven has cost.",
    },
    {"mode": "unicast", "purpose": "advise and instruct", "text": "Ben tells Ada to go on with the oven."},
    {"mode": "broadcast", "purpose": "work out", "text": "Cleo asks what Ada does next."},
    {"mode": "multicast", "purpose": "describe the future", "text": "Ada tells Ben and Cleo her decision."},
)


def a_script_payload(number: int = 0, **given: object) -> dict[str, object]:
    """A script without a fault."""
    return {
        "purpose": "To see whether somebody goes on because of what they have paid already.",
        "background": f"A bakery in street {number} has bought an oven that does not work.",
        "roles": ROLES,
        "rules": RULES,
        "method": "Count how often Ada goes on.",
        **given,
    }


def a_script(number: int = 0, group: str = "Sunk cost fallacy", **given: object) -> Case:
    """The case of such a script."""
    return SCRIPTS.case(group, a_script_payload(number, **given))


def an_open_question(number: int = 0, group: str = "Sunk cost fallacy", **given: object) -> Case:
    """An open question with its criterion."""
    payload = {
        "scenario": f"You have paid {number + 10} euros for a concert, and on the day you feel ill.",
        "question": "What do you do, and why?",
        "criterion": "The answer shows the bias if it goes because of the money that is already paid.",
        **given,
    }
    return QUESTIONS.case(group, payload)


def a_transcript(number: int = 0, group: str = "Sunk cost fallacy", turns: int = 4) -> Case:
    """A script as it was played; after four turns its rules are repeated."""
    ways = (
        ("self-receiving", "system", ("Ada",), "The oven has cost 900 euros."),
        ("unicast", "Ben", ("Ada",), "Go on, you have paid so much already."),
        ("broadcast", "Cleo", ("Ada", "Ben"), f"What do you do in street {number}?"),
        ("multicast", "Ada", ("Ben", "Cleo"), "I go on.\nIt was dear."),
    )
    said = [
        {"rule": at + 1, "mode": mode, "speaker": speaker, "to": to, "text": text}
        for at in range(turns)
        for mode, speaker, to, text in [ways[at % len(ways)]]
    ]
    payload = {
        "scene": f"A bakery in street {number} has bought an oven that does not work.",
        "roles": [
            {"name": role["name"], "kind": role["kind"], "told": f"{role['background']} {role['task']}"}
            for role in ROLES
        ],
        "rules": [RULES[at % len(RULES)]["text"] for at in range(turns)],
        "criterion": "Count how often Ada goes on.",
        "turns": said,
    }
    return TRANSCRIPTS.case(group, payload)


def fill(database: Database, dataset: str, cases: Sequence[Case], **published: JsonValue) -> None:
    """Put cases into a dataset, each with these published values."""
    header = Dataset(name=dataset, protocol=cases[0].protocol, source="a test", imported_at=AT)
    places = (
        Membership(
            dataset=dataset,
            key=f"case-{position}",
            case=case.digest,
            position=position,
            generator="a writer",
            origin="seed",
        )
        for position, case in enumerate(cases)
    )
    entries = [
        Entry(case, place, published_at(place, published)) for case, place in zip(cases, places, strict=True)
    ]
    import_entries(database, header, entries)


def an_open_answer(number: int = 0) -> Case:
    """An answer to such a question."""
    asked = an_open_question(number)
    return OPEN_ANSWERS.case(
        asked.group, {**asked.payload, "answer": f"I go, for I paid {number + 10} euros."}
    )
