"""Rules on one text: each returns the passage that it objects to, "" if there is none.

They hold for texts of any benchmark, so each is narrow: what it names is mostly a fault.
"""

import re
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

from reviewer.core.check_result import Severity

_AROUND = 24
# UTF-8 read as Windows-1252 or Latin-1, and the sign for what could not be read.
_MOJIBAKE = re.compile(
    r"Ã[\x80-\xbf¡-¿‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€[\x80-\x9f™œžš“”¦¢˜]|Â[\xa0£§©«®°±»¿]|Ð[\x80-\xbf]Ñ|\ufffd"
)
_COMMAND = re.compile(
    r"\\(?:frac|sqrt|sum|int|left|right|begin|end|text|mathbb|mathrm|cdot|times|le|ge|alpha)\b"
)
_ENVIRONMENT = re.compile(r"\\(begin|end)\{([A-Za-z]+\*?)\}")
_DOLLAR = re.compile(r"(?<!\\)\$")
_FENCE = re.compile(r"^ {0,3}```[^`\n]*$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]\n]{1,80}\]\((?:https?://|/|\./)[^)\s]*(?:\s|$)")
_PLACEHOLDER = re.compile(
    r"\b(?:TODO|TBD|FIXME)\b|\b[Ll]orem ipsum\b|\{\{\s*\w[\w .-]*\}\}"
    r"|\[(?:[Ii]nsert|INSERT|[Yy]our|YOUR|[Pp]laceholder|PLACEHOLDER)\b[^\]\n]{0,40}\](?!\()"
    r"|<(?:insert|INSERT|placeholder|PLACEHOLDER)\b[^>\n]{0,40}>|\b[Aa]s an AI language model\b"
)
_TODO_IN_CODE = re.compile(r"(?:#|//|/\*|%)[^\n]*\b(?:TODO|FIXME|XXX)")
_EMAIL = re.compile(
    r"\b[A-Za-z0-9._%+-]{1,64}@(?!(?:[\w-]+\.)*(?:example|test|email|domain|company|acme|invalid|localhost)\b)(?:[A-Za-z0-9-]{1,63}\.){1,4}[A-Za-z]{2,12}\b"
)
_PHONE = re.compile(r"(?<![\w.+-])\+\d{1,3}[ .-]?\(?\d{1,4}\)?(?:[ .-]?\d{2,4}){2,4}(?![\w.-])")
_SOCIAL = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b")
_CARD = re.compile(r"(?<![\w.-])(?:\d{4}[ -]){3}\d{4}(?![\w.-])")


class TextRule(NamedTuple):
    """A rule on one text: its severity, what it asks, and the function that looks."""

    severity: Severity
    asks: str
    passage: Callable[[str], str]


def _near(text: str, at: int, end: int) -> str:
    return text[max(0, at - _AROUND) : end + _AROUND]


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return _near(text, *found.span()) if found else ""


def mojibake(text: str) -> str:
    """Characters that come from a wrong encoding."""
    return _first(_MOJIBAKE, text)


def broken_latex(text: str) -> str:
    """Formulas or environments that are not closed; only in texts with commands of LaTeX."""
    command = _COMMAND.search(text)
    if command is None:
        return ""
    open_environments = Counter[str]()
    for kind, name in _ENVIRONMENT.findall(text):
        open_environments[name] += 1 if kind == "begin" else -1
    if lacking := next((name for name, number in open_environments.items() if number), ""):
        return _first(re.compile(rf"\\(?:begin|end)\{{{re.escape(lacking)}\}}"), text)
    dollars = [found.start() for found in _DOLLAR.finditer(text)]
    if len(dollars) % 2 and not re.search(r"\$\s?\d", text):
        return _near(text, dollars[-1], dollars[-1] + 1)
    if len(re.findall(r"\\left(?![a-z])", text)) != len(re.findall(r"\\right(?![a-z])", text)):
        return _first(re.compile(r"\\(?:left|right)(?![a-z])"), text)
    return ""


def broken_markdown(text: str) -> str:
    """A fence of code that is not closed, or the address of a link that is not."""
    fences = [found.start() for found in _FENCE.finditer(text)]
    if len(fences) % 2 and text.count("```") % 2:
        return _near(text, fences[-1], fences[-1] + 3)
    return _first(_LINK, text)


def placeholder(text: str) -> str:
    """Words that stand for text that was to come, or that a model said of itself."""
    return "" if _TODO_IN_CODE.search(text) else _first(_PLACEHOLDER, text)


def personal_data(text: str) -> str:
    """Addresses, numbers of telephones, accounts and cards, as far as their shape tells."""
    for pattern in (_EMAIL, _PHONE, _SOCIAL):
        if passage := _first(pattern, text):
            return passage
    for found in _IBAN.finditer(text):
        if _is_iban(found.group().replace(" ", "")):
            return _near(text, *found.span())
    for found in _CARD.finditer(text):
        if _is_card(re.sub(r"\D", "", found.group())):
            return _near(text, *found.span())
    return ""


def _is_iban(number: str) -> bool:
    """Whether the remainder by 97 is 1 (ISO 13616)."""
    turned = number[4:] + number[:4]
    return 15 <= len(number) <= 34 and int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1


def _is_card(digits: str) -> bool:
    """Whether Luhn's sum of the digits ends in 0 (ISO/IEC 7812-1)."""
    doubled = [int(sign) * (2 if at % 2 else 1) for at, sign in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


TEXT_RULES: dict[str, TextRule] = {
    "mojibake": TextRule("doubtful", "Are all characters in the right encoding?", mojibake),
    "broken_latex": TextRule("untidy", "Are all formulas and environments closed?", broken_latex),
    "broken_markdown": TextRule("untidy", "Are all blocks of code and links closed?", broken_markdown),
    "placeholder_left": TextRule("doubtful", "Was every placeholder filled?", placeholder),
    "personal_data": TextRule("doubtful", "Are the texts without data of persons?", personal_data),
}
"""The rules by the names of their checks."""
