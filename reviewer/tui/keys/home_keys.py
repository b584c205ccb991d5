"""The keys of the home screen, and which of them its bottom line shows."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.widgets.key_hints import hint, in_one_line, offered

if TYPE_CHECKING:
    from reviewer.study.session.rater_progress import StudyProgress

_key = partial(named_key, "home")


HOME_KEYS = (
    _key("n", "new_study", "new study", "new-study", "Draw a sample as a study"),
    _key("i", "import_source", "import", "import", "Import a dataset from a file or folder"),
    _key("l", "cases", "cases", "cases", "List, search and read the cases"),
    _key("v", "audit", "audit", "audit", "See what the checks found wrong with a dataset"),
    _key("b", "library", "library", "library", "See the entries of a library with their evidence"),
    _key(
        "m",
        "runs",
        "models",
        "runs",
        "See runs that ask models; generate a dataset, or evaluate models",
    ),
    _key(
        "a",
        "agreement",
        "agreement, pass rates",
        "agreement",
        "See agreement and pass rates of this study, once you may",
    ),
    _key("d", "decide", "decide", "decide", "Decide where raters disagree, once all answers are in"),
    _key(
        "f",
        "final",
        "final labels",
        "final",
        "See where you differ from the final labels, once closed; leads see them all",
    ),
    _key("c", "close", "close", "close", "Close the study to more answers, or open it again"),
    _key("e", "export", "export", "export", "Write the study's labels and numbers to files"),
    _key("w", "report", "report", "report", "Write the study's report as pages and figures"),
    _key("p", "progress", "progress", "progress", "See how far raters are; warnings, if you lead the study"),
    _key("r", "change_rater", "your name", "rater", "The name that verdicts are saved under"),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q", "leave", "quit", "leave", "Quit; everything is saved already"),
)
_ALWAYS = ("home.keys", "home.leave")


def home_hints(
    progress: "StudyProgress | None", rater: str, has_datasets: bool, keys: Mapping[str, str], width: int
) -> Content:
    """One line with the keys that do something now, the most important first.

    ``progress`` belongs to the highlighted study; ``keys`` are the bound keys by id. Keys that do not fit are
    on the key sheet.
    """

    words = {binding.id or "": binding.description for binding in HOME_KEYS}
    if progress is not None and progress.study.closed_at is not None:
        words["home.close"] = "open again"
    word = None if progress is None else enter_word(progress, rater)
    enter = [hint("enter", word)] if word else []
    now = offered(keys, [(name, words[name]) for name in _useful(progress, rater, has_datasets)])
    always = offered(keys, [(name, words[name]) for name in _ALWAYS])
    return in_one_line([*enter, *now], always, width)


def enter_word(progress: "StudyProgress", person: str) -> str | None:
    """What enter does with a study: raters review, and leads who do not rate see the progress."""
    from reviewer.study.session.rater_progress import may_open

    if may_open(progress, person):
        return "review"
    return "progress" if person in progress.leads else None


def _useful(progress: "StudyProgress | None", rater: str, has_datasets: bool) -> Iterator[str]:
    if progress is not None:
        yield from _about_study(progress, rater)
    if has_datasets:
        yield "home.new-study"
    yield "home.import"
    if has_datasets:
        yield from ("home.cases", "home.audit")
    yield from ("home.runs", "home.rater")
    if progress is not None and not (progress.study.closed_at or progress.finished):
        yield "home.close"


def _about_study(progress: "StudyProgress", rater: str) -> Iterator[str]:
    from reviewer.study.session.blinding import may_see_others_answers

    if rater in progress.leads and enter_word(progress, rater) != "progress":
        yield "home.progress"
    closed = progress.study.closed_at is not None
    answered = any(known.done for known in progress.raters)
    may_see = answered and may_see_others_answers(progress, rater)
    ended = closed or progress.finished
    if may_see:
        yield "home.agreement"
    if answered and ended:
        yield "home.decide"
    if answered and closed:
        yield "home.final"
    if may_see:
        yield from ("home.export", "home.report")
    if ended:
        yield "home.close"
