"""Scripts of dialogues and open questions, made for tests of ours."""

from reviewer.protocols.staged_dialogues.scripts_protocol import DialogueScripts, OpenQuestions
from store.records import Case

SCRIPTS, QUESTIONS = DialogueScripts(), OpenQuestions()
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
