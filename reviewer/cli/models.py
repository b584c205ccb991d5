"""``reviewer models``: whether a model can be reached, and the cost of past calls."""

import asyncio
from collections.abc import Sequence
from contextlib import closing
from dataclasses import fields

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import is_new_store, open_store
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import one_line, shown, strange_character
from reviewer.core.table import Cell, Table
from reviewer.llm.request import ChatMessage, ModelReply, ModelRequest
from reviewer.llm.usage import Calls
from reviewer.options.model_options import ModelOptions
from reviewer.options.models import ModelsCallsOptions, ModelsTryOptions
from store.calls import CallTotal, StoredCalls, call_totals
from store.records import Call


def models_calls_command(options: ModelsCallsOptions) -> None:
    """``reviewer models calls``: the calls that the store keeps, counted."""
    with closing(open_store(options.store)) as database, database.read() as session:
        totals = call_totals(session)
    names = [field.name for field in fields(CallTotal)]
    print_table(Table.of(names, [[getattr(total, name) for name in names] for total in totals]), options.form)
    if unpriced := sum(total.unpriced for total in totals):
        note(f"Calls without a known price: {unpriced:,}; the cost does not include them.")
    if estimated := sum(total.estimated for total in totals):
        note(f"Calls whose cost is estimated from their text, for want of token counts: {estimated:,}.")


def models_try_command(options: ModelsTryOptions) -> None:
    """``reviewer models try``: one small question to a model."""
    if strange := strange_character(options.prompt):
        raise RequestError(f"a prompt cannot hold {strange}; write it again.")
    ask = ModelRequest((ChatMessage("user", options.prompt),), "try", model=options.model)
    models = options.models.changed(fresh=options.models.replay is None)
    models.check(options.model)
    answered = _asked_before_store if is_new_store(options.store) else _asked_with_store
    reply = answered(options.store, models, ask)
    print_table(_shown(reply, ask), options.form)
    if reply.answered_by not in ("", ask.model):
        note(f"Note: the server says that {shown(reply.answered_by)} answered, not {shown(ask.model)}.")


def _asked_with_store(store: str, models: ModelOptions, ask: ModelRequest) -> ModelReply:
    """The reply; the store keeps the call as it comes, also one that failed."""
    database = open_store(store)
    return asyncio.run(_asked(models, StoredCalls(database), ask))


def _asked_before_store(store: str, models: ModelOptions, ask: ModelRequest) -> ModelReply:
    """The reply; a store is made only for an answer, since a mistyped address needs none."""
    calls = _HeldCalls()
    reply = asyncio.run(_asked(models, calls, ask))
    if calls.held:
        StoredCalls(open_store(store, create=True)).keep(calls.held)
    return reply


class _HeldCalls:
    """Calls in memory."""

    def __init__(self) -> None:
        self.held: list[Call] = []

    def keep(self, calls: Sequence[Call]) -> None:
        """Hold rows."""
        self.held += calls

    def answers_to(self, digests: Sequence[str], endpoint: str) -> dict[str, Call]:
        """None: nothing is asked twice."""
        return {}


async def _asked(models: ModelOptions, calls: Calls, ask: ModelRequest) -> ModelReply:
    async with models.client(calls, attempts=1) as client:
        return await client.ask(ask)


def _shown(reply: ModelReply, ask: ModelRequest) -> Table:
    rows: list[tuple[str, Cell]] = [
        ("model", ask.model),
        ("answered by", one_line(reply.answered_by) or "the server does not say"),
        ("answer", one_line(reply.text)),
        ("reasoning", one_line(reply.reasoning)),
        ("finish reason", reply.finish_reason),
        ("seconds", all_digits(reply.seconds)),
        ("attempts", reply.attempts),
        ("prompt tokens", reply.prompt_tokens),
        ("completion tokens", reply.completion_tokens),
        ("tokens counted by", "an estimate from the text" if reply.estimated else "the server"),
        ("cost", "no price" if reply.cost is None else reply.cost),
    ]
    return Table.of(("what", "value"), rows)
