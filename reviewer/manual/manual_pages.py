"""The pages of the manual: their order, their titles and their texts."""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from reviewer.core.errors import RequestError
from reviewer.core.names import closest

NAMES = (
    *(
        "first-study",
        "own-benchmark",
        "multiple-choice",
        "ranking",
        "designing",
        "reviewing",
        "adjudicating",
        "agreement",
        "weighting",
    ),
    *("judges", "reporting"),
    *(
        "auditing",
        "repairing",
        "workbench",
        "releasing",
        "continuous-integration",
        "generating",
        "evaluating",
        "answers",
        "judging",
        "libraries",
        "treatment-tests",
        "detail-levels",
        "open-questions",
        "staging",
        "detecting",
        "clusters",
        "planning",
    ),
    *(
        "models",
        "raters-elsewhere",
        "plain-mode",
        "commands",
        "declarations",
        "python-benchmark",
        "files",
        "safety",
        "store-check",
    ),
)
"""The pages in reading order; ``pages/NAME.md`` holds the text of each."""

_LINK = re.compile(r"\[([^\]]+)\]\(([a-z-]+)\.md\)")
_PICTURE = re.compile(r"^!\[[^\]]*\]\([^)]*\)\n+", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ManualPage:
    """One page: its name, its title and its Markdown text."""

    name: str
    title: str
    text: str

    @property
    def plain(self) -> str:
        """The text for places without pictures; links between pages name the command that shows the page."""
        return _LINK.sub(r"\1 (`reviewer manual \2`)", _PICTURE.sub("", self.text))


def all_pages() -> tuple[ManualPage, ...]:
    """Every page in reading order."""
    return tuple(manual_page(name) for name in NAMES)


@cache
def manual_page(name: str) -> ManualPage:
    """One page; raises RequestError for a name that no page has."""
    if name not in NAMES:
        raise RequestError(f"the manual has no page {name!r}; {closest(name, NAMES, 'its pages are')}.")
    text = (files("reviewer.manual") / "pages" / f"{name}.md").read_text(encoding="utf-8")
    return ManualPage(name, text.partition("\n")[0].removeprefix("# "), text)
