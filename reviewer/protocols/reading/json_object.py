"""The JSON object that a reply was asked for."""

import json
import re
from collections.abc import Mapping

from store.records import JsonValue

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)


def json_object(reply: str) -> Mapping[str, JsonValue] | None:
    """The JSON object in a reply, fenced or not; None if there is none."""
    fenced = _FENCED.findall(reply)
    text = fenced[-1] if fenced else reply
    start, end = text.find("{"), text.rfind("}")
    try:
        content = json.loads(text[start : end + 1]) if 0 <= start < end else None
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None
