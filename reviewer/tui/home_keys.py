"""The keys of the home screen."""

from textual.binding import Binding


def _key(keys: str, action: str, label: str, name: str, tooltip: str, shown_as: str | None = None) -> Binding:
    return Binding(keys, action, label, key_display=shown_as, id=f"home.{name}", tooltip=tooltip)


HOME_KEYS = (
    _key("n", "new_study", "new study", "new-study", "Draw a sample as a study"),
    _key("i", "import_source", "import", "import", "Import a dataset from a file or folder"),
    _key("l", "cases", "cases", "cases", "List, search and read the cases"),
    _key("g", "generate", "generate", "generate", "Grow seeds into a dataset with a language model"),
    _key("a", "agreement", "agreement", "agreement", "See the agreement on this study, once you may"),
    _key("d", "decide", "decide", "decide", "Decide where raters disagree, once all answers are in"),
    _key("f", "final", "final labels", "final", "See where you differ from the final labels, once closed"),
    _key("c", "close", "close", "close", "Close the study to more answers, or open it again"),
    _key("e", "export", "export", "export", "Write the study's labels and numbers to files"),
    _key("r", "change_rater", "your name", "rater", "The name that verdicts are saved under"),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q", "leave", "quit", "leave", "Quit; everything is saved already"),
)
HOME_HINTS = tuple((binding.id or "", binding.description) for binding in HOME_KEYS)
"""What the bottom line offers: binding id and word."""
