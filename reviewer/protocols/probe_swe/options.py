"""The two options of a pair, and which of them logic accepts."""

from collections.abc import Sequence

from store.records import Measurement


def option_title(choice: object) -> str:
    """ "Option A" for option_A."""
    return str(choice).replace("option_", "Option ")


def other_option(choice: str) -> str:
    """The other of the two options."""
    return {"option_A": "option_B", "option_B": "option_A"}[choice]


def accepted_option(measurements: Sequence[Measurement]) -> str | None:
    """What logic decides: the value that came with the case, else the last one measured on the unbiased
    program; None if there is neither.

    The value that came with the case has priority, so that an audit during a study changes no question.
    """
    choices = [m for m in measurements if m.name == "choice" and m.value in ("option_A", "option_B")]
    brought = [m for m in choices if m.came_with_place]
    measured = [m for m in choices if not m.came_with_place and m.variant == "unbiased"]
    options = brought[:1] or measured[-1:]
    return str(options[0].value) if options else None
