"""``reviewer models try``: one small question to a model."""

import asyncio
from contextlib import closing
from dataclasses import replace

import click

from reviewer.cli.model_options import ModelOptions, model_options
from reviewer.cli.options import Format, format_option, open_store, print_table, store_option
from reviewer.core.errors import RequestError
from reviewer.core.number_text import all_digits
from reviewer.core.sanitize import one_line, strange_character
from reviewer.core.table import Cell, Table
from reviewer.llm.request import ChatMessage, ModelReply, ModelRequest
from store.database import Database

_PROMPT = "Reply with the one word: ready"


@click.command("try", epilog="Example: reviewer models try llama3.2 --base-url http://127.0.0.1:11434/v1")
@click.argument("model")
@click.option("--prompt", default=_PROMPT, show_default=True, help="The prompt to send.")
@model_options
@format_option
@store_option
def models_try_command(model: str, prompt: str, models: ModelOptions, form: Format, store: str) -> None:
    """Send one short prompt to a model, to test its address, key and name.

    The prompt is sent once, without retries, and the call is kept in the store. With --replay,
    nothing is sent.
    """
    for text in (model, prompt):
        if strange := strange_character(text):
            raise RequestError(f"a model name or prompt cannot hold {strange}; write it again.")
    ask = ModelRequest(model, (ChatMessage("user", prompt),), purpose="try")
    models = replace(models, fresh=models.replay is None)
    models.check(model)
    with closing(open_store(store)) as database:
        reply = asyncio.run(_asked(models, database, ask))
    print_table(_shown(reply, ask), form)


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
