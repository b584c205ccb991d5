"""Tokens of a call: as the server counted them, or else estimated from the text."""

from dataclasses import dataclass

from store.records import Call

_BYTES_A_TOKEN = 3
"""A token is about four bytes of English. The estimate uses three: a budget should end early, not late."""
_TOKENS_AROUND_A_MESSAGE = 4
MOST_TOKENS = 100_000_000
"""Ten times the longest context on offer; larger counts are not believed."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a prompt and of its answer; ``estimated`` if either number is not the server's."""

    prompt: int
    completion: int
    estimated: bool


def tokens_of(call: Call) -> Tokens | None:
    """The tokens of a call; None if the call got nothing that has to be paid for.

    A server's number is used if it is plausible: from 1 (from 0 for an empty answer) to a hundred million.
    """
    if call.response is None and call.status != 200:
        return None
    response = call.response or {}
    answer = f"{response.get('content') or ''}{response.get('thought') or ''}"
    size = len(answer.encode("utf-8", "replace")) + response.get("other_bytes", 0)
    prompt, completion = call.prompt_tokens, call.completion_tokens
    plausible = _is_plausible(prompt, 1), _is_plausible(completion, 1 if size else 0)
    return Tokens(
        prompt if plausible[0] and prompt is not None else _estimated_prompt(call),
        completion if plausible[1] and completion is not None else _tokens_in(size),
        estimated=not all(plausible),
    )


def _tokens_in(size: int) -> int:
    """An estimate of the tokens in some bytes of text, rather too high than too low."""
    return -(-size // _BYTES_A_TOKEN)


def _estimated_prompt(call: Call) -> int:
    messages = call.request.get("messages") or []
    texts = [str(message.get("content", "")) for message in messages if isinstance(message, dict)]
    return sum(_tokens_in(len(text.encode("utf-8", "replace"))) + _TOKENS_AROUND_A_MESSAGE for text in texts)


def _is_plausible(number: int | None, least: int) -> bool:
    return number is not None and least <= number <= MOST_TOKENS
