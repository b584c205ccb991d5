"""Reading the prompts of a protocol: those that ship with it, and a folder of a person's own."""

from importlib.resources import files
from pathlib import Path

from reviewer.core.errors import InputError
from reviewer.core.sanitize import one_line
from reviewer.core.source_text import read_source_text
from reviewer.protocols.prompts import MOST_CHARACTERS_OF_PROMPT, PromptPlan, Prompts, checked_prompts

_MOST_BYTES = 4 * MOST_CHARACTERS_OF_PROMPT


def read_prompts(plan: PromptPlan, folder: Path | None = None) -> Prompts:
    """The prompts of the plan; those in ``folder`` replace shipped ones; raises InputError."""
    texts = {**_shipped(plan), **plan.texts}
    return checked_prompts(plan, texts if folder is None else {**texts, **_own(plan, folder)})


def _shipped(plan: PromptPlan) -> dict[str, str]:
    held = plan.placeholders.keys() - plan.texts.keys()
    if not held:
        return {}
    folder = files(plan.package) / "prompts"
    return {name: (folder / f"{name}.txt").read_text(encoding="utf-8") for name in held}


def _own(plan: PromptPlan, folder: Path) -> dict[str, str]:
    where = repr(one_line(str(folder), 120))
    try:
        paths = [path for path in sorted(folder.iterdir()) if path.suffix == ".txt"]
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no path can have this name"
        raise InputError(where, f"cannot be read ({reason})", "give a folder of prompts") from error
    texts = {
        path.stem: read_source_text(path, f"prompt {path.name}", _MOST_BYTES, "give a folder of prompts")
        for path in paths
    }
    known = ", ".join(f"{name}.txt" for name in plan.placeholders)
    if not texts:
        raise InputError(where, "contains no prompt", f"put some of {known} there")
    if strangers := sorted(texts.keys() - plan.placeholders.keys()):
        wrong = f"is not a prompt of this protocol ({known})"
        raise InputError(repr(one_line(f"{strangers[0]}.txt")), wrong, "rename or remove it")
    return texts
