"""The keys of the audit screen, and which of them its bottom line shows."""

from collections.abc import Mapping
from functools import partial

from textual.content import Content

from reviewer.tui.keys.named_keys import named_key
from reviewer.tui.widgets.key_hints import in_one_line, offered

_key = partial(named_key, "audit")

AUDIT_KEYS = (
    _key("n", "next", "next", "next", "Show the next finding at its evidence"),
    _key("b", "previous", "before", "previous", "Show the finding before at its evidence"),
    _key("x", "dismiss_finding", "dismiss", "dismiss", "Dismiss this finding with a reason, or restore it"),
    _key(
        "X", "dismiss_all", "dismiss all shown", "dismiss-all", "Dismiss every finding listed, for one reason"
    ),
    _key("w", "whole", "of the dataset", "whole", "Dismiss or restore what is found about the whole dataset"),
    _key("p", "other_panes", "other panes", "panes", "Show the case's other panes, then the first again"),
    _key("slash", "find", "words", "find", "List only findings with these words", shown_as="/"),
    _key("i", "only", "filter …", "only", "Show one check, severity, group … only"),
    _key("I", "everything", "view all", "everything", "Show all open findings again"),
    _key("s", "study", "study of these", "study", "Draw a study from the cases of these findings"),
    _key("v", "run", "audit", "run", "Audit the cases that were not audited yet, or only by earlier checks"),
    _key("question_mark", "keys", "keys", "keys", "Show this list", shown_as="?"),
    _key("q,escape", "leave", "back", "leave", "Go back; a running audit stops and keeps its results"),
)
_HINTS = (
    ("audit.next", "next"),
    ("audit.dismiss", "dismiss"),
    ("audit.dismiss-all", "dismiss all shown"),
    ("audit.whole", "of the dataset"),
    ("audit.find", "words"),
    ("audit.panes", "other panes"),
    ("history.open", "history"),
    ("workbench.open", "repair"),
    ("audit.only", "filter …"),
    ("audit.everything", "view all"),
    ("audit.study", "study of these"),
    ("audit.run", "run the audit"),
)
_ALWAYS = (("audit.keys", "keys"), ("audit.leave", "back"))
_OF_FINDINGS = ("next", "dismiss", "dismiss-all", "study", "panes")


def audit_hints(
    keys: Mapping[str, str],
    width: int,
    *,
    filtered: bool,
    due: bool,
    any_shown: bool,
    any_found: bool,
    any_whole: bool,
    repairs: bool,
) -> Content:
    """One line with the keys that do something now; ``keys`` are the bound keys by id.

    ``any_whole`` says whether anything is found about the whole dataset, ``repairs`` whether cases of the
    protocol can be repaired.
    """
    hidden = set() if filtered else {"audit.everything"}
    hidden |= set() if due else {"audit.run"}
    if not any_shown:
        hidden |= {"workbench.open", "history.open", *(f"audit.{name}" for name in _OF_FINDINGS)}
    hidden |= set() if any_whole else {"audit.whole"}
    hidden |= set() if repairs else {"workbench.open"}
    hidden |= set() if any_found else {"audit.only", "audit.find"}
    known = [(name, word) for name, word in _HINTS if name not in hidden]
    return in_one_line(offered(keys, known), offered(keys, _ALWAYS), width)
