"""A reply without what was only thought: of a model's channels the final one, and no thoughts."""

import re
from typing import Final

_THOUGHT: Final = (
    r"(?:think(?:ing)?|thoughts?|reasoning|reflection|scratchpad|analysis|internal|monologue|cot)"
)
_TAG: Final = re.compile(
    rf"[<\[◁](?P<end>/)?\s*(?:seed:)?{_THOUGHT}\s*[>\]▷]|<\|(?P<bar>begin|end)_of_thought\|>", re.IGNORECASE
)
_COMMENT: Final = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHANNEL: Final = re.compile(r"<\|channel\|>\s*(\w+)[^<]{0,80}<\|message\|>", re.IGNORECASE)
_CHANNEL_ENDS: Final = re.compile(r"<\|(?:end|return|start|call)\|>")
_FINAL_CHANNELS: Final = frozenset(("final", "response", "answer"))
_BARE_CHANNELS: Final = re.compile(r"\s*(?:analysis|commentary)(?=[A-Z\"'\W])")
"""The names of channels where their markers were taken out."""
_BARE_FINAL: Final = re.compile(r"assistantfinal|^final:", re.MULTILINE)
_SIGNS_OF_TAGS: Final = ("<", "[", "◁")
"""Without these a reply has no tags and no markers."""
_MARKER: Final = re.compile(r"<\|[^|<>\n]{1,40}\|>|</?s>|\[/?INST\]")


def said_aloud(reply: str) -> str | None:
    """What a reply says aloud; None if it ends in the middle of a thought, or before its final channel."""
    said = _final_channel(reply)
    if said is None or not any(sign in said for sign in _SIGNS_OF_TAGS):
        return said
    said = _without_thoughts(_COMMENT.sub(" ", said))
    return None if said is None else _MARKER.sub("\n", said)


def _final_channel(reply: str) -> str | None:
    channels = list(_CHANNEL.finditer(reply))
    final = [channel for channel in channels if channel[1].casefold() in _FINAL_CHANNELS]
    if final:
        rest = reply[final[-1].end() :]
        end = _CHANNEL_ENDS.search(rest)
        return rest[: end.start()] if end else rest
    if channels:
        return None
    return _bare_final_channel(reply) if _BARE_CHANNELS.match(reply) else reply


def _bare_final_channel(reply: str) -> str | None:
    if marks := list(_BARE_FINAL.finditer(reply)):
        return reply[marks[-1].end() :]
    return None if reply.lstrip().startswith("analysis") and "\n" not in reply else reply


def _without_thoughts(text: str) -> str | None:
    """The text outside thoughts; an end without a beginning ends a thought that began with the reply."""
    parts, depth, at = list[str](), 0, 0
    for tag in _TAG.finditer(text):
        if not depth:
            parts.append(text[at : tag.start()])
        ends = bool(tag["end"]) or tag["bar"] == "end"
        if ends and not depth:
            parts.clear()
        depth = max(0, depth - 1) if ends else depth + 1
        at = tag.end()
    return None if depth else "\n".join((*parts, text[at:]))
