"""``reviewer models try``: one small question to a model."""

import asyncio
from contextlib import closing
from dataclasses import replace

from reviewer.cli.options import open_store, print_table
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import one_line, strange_character
from reviewer.core.table import Cell, Table
from reviewer.llm.request import ChatMessage, ModelReply, ModelRequest
from reviewer.options.model_options import ModelOptions
from reviewer.options.models import ModelsTryOptions
from store.database import Database

_PROMPT = "Reply with the one word: ready"


def models_try_command(options: ModelsTryOptions) -> None:
    """Carry out ``reviewer models try``."""
    for text in (options.model, options.prompt):
        if strange := strange_character(text):
            raise RequestError(f"a model name or prompt cannot hold {strange}; write it again.")
    ask = ModelRequest(options.model, (ChatMessage("user", options.prompt),), purpose="try")
    models = replace(options.models, fresh=options.models.replay is None)
    models.check(options.model)
    with closing(open_store(options.store)) as database:
        reply = asyncio.run(_asked(models, database, ask))
    print_table(_shown(reply, ask), options.form)


async def _asked(models: ModelOptions, database: Database, ask: ModelRequest) -> ModelReply:
    async with models.client(database, attempts=1) as client:
        return await client.ask(ask)


def _shown(reply: ModelReply, ask: ModelRequest) -> Table:
    rows: list[tuple[str, Cell]] = [
        ("model", ask.model),
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
