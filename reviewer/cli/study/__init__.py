"""``reviewer study``: everything that concerns one study as a whole."""

import click

from reviewer.cli.lazy_group import LazyGroup

_COMMANDS = {
    "close": "Close a study.",
    "describe": "Record what the report says about recruitment, independence and consent.",
    "exclude": "Leave RATER out of agreement, pass rates and final labels of STUDY.",
    "include": "Count the answers of RATER in STUDY again, after `reviewer study exclude` left them out.",
    "lead": "Make NAME a lead of STUDY.",
    "link": "Create a secret link for one rater of STUDY.",
    "links": "List the links of STUDY.",
    "list": "List the studies.",
    "new": "Draw a stratified sample and freeze it with its questions and random seed.",
    "pack": "Write one file with everything that one rater needs.",
    "plan": "Estimate how many cases a future study needs, for questions with two labels.",
    "profile": "Record a rater's background.",
    "reopen": "Reopen a closed study.",
    "show": "Show a study's sample on stdout, and its design, questions and log on stderr.",
}


@click.group(
    "study",
    cls=LazyGroup,
    package=__name__,
    below=_COMMANDS,
    epilog="Example: reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42",
)
def study_command() -> None:
    """Plan studies, draw their samples, and manage raters."""
