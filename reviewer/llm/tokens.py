"""Tokens of a call: as the server counted them, or estimated from the text where it did not."""

from dataclasses import dataclass

from store.records import Call

_BYTES_A_TOKEN = 3
"""Servers count one for about four bytes of English. Fewer here: a budget should end early, not late."""
_TOKENS_AROUND_A_MESSAGE = 4
MOST_TOKENS = 100_000_000
"""Ten times the longest context that is sold; what is said beyond is no count."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of a prompt and of its answer; ``estimated`` where either number is not the server's."""

    prompt: int
    completion: int
    estimated: bool


def tokens_of(call: Call) -> Tokens | None:
    """The tokens that a call counts as; None where it brought nothing that is paid for.

    A server's number holds where it can be one: from 1 (from 0 for an empty answer) to a hundred million.
    """
    if call.response is None and call.status != 200:
        return None
    response = call.response or {}
    answer = f"{response.get('content') or ''}{response.get('thought') or ''}"
    size = len(answer.encode("utf-8", "replace")) + response.get("other_bytes", 0)
    prompt, completion = call.prompt_tokens, call.completion_tokens
    told = _is_a_count(prompt, 1), _is_a_count(completion, 1 if size else 0)
    return Tokens(
        prompt if told[0] and prompt is not None else _estimated_prompt(call),
        completion if told[1] and completion is not None else _tokens_in(size),
        estimated=not all(told),
    )


def estimated_tokens(text: str) -> int:
    """A guess at the tokens of a text, rather too many."""
    return _tokens_in(len(text.encode("utf-8", "replace")))


def _tokens_in(size: int) -> int:
    return -(-size // _BYTES_A_TOKEN)


def _estimated_prompt(call: Call) -> int:
    messages = call.request.get("messages") or []
    texts = [str(message.get("content", "")) for message in messages if isinstance(message, dict)]
    return sum(estimated_tokens(text) + _TOKENS_AROUND_A_MESSAGE for text in texts)


def _is_a_count(number: int | None, least: int) -> bool:
    return number is not None and least <= number <= MOST_TOKENS
