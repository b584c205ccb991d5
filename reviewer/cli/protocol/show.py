"""``reviewer protocol show``: what a protocol asks, shows and checks."""

from collections.abc import Iterator

import click

from reviewer.cli.options import (
    is_new_store,
    open_store,
    print_table,
    protocols_here,
)
from reviewer.core.errors import RequestError
from reviewer.core.table import Table
from reviewer.options.protocol import ProtocolShowOptions
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.study.session.blinding import values_that_wait
from store.location import DEFAULT_LOCATION

_COLUMNS = ("part", "name", "says")


def protocol_show_command(options: ProtocolShowOptions) -> None:
    """Carry out ``reviewer protocol show``."""
    protocols = protocols_here()
    if options.store != DEFAULT_LOCATION or not is_new_store(options.store):
        protocols = protocols_of(open_store(options.store, must_exist=True))
    protocol = protocols.named(options.name)
    if options.text:
        click.echo(_text(protocols, protocol), nl=False)
    else:
        print_table(Table.of(_COLUMNS, list(_rows(protocol))), options.form)


def _text(protocols: Protocols, protocol: Protocol) -> str:
    kept = protocols.declarations_of(protocol.reference)
    if not kept:
        raise RequestError(f"{protocol.title} was not declared in a file, so there is no text to print.")
    return kept[0].text


def _rows(protocol: Protocol) -> Iterator[tuple[str, str, str]]:
    yield "protocol", protocol.reference, protocol.title
    for group in protocol.groups:
        yield protocol.group_noun, group.name, group.definition
    if isinstance(protocol, DeclaredProtocol):
        yield from _declared_rows(protocol)
    for question in protocol.questions:
        labels = f" [{' | '.join(question.labels)}]" if question.labels else ""
        yield "question", question.key, f"{question.prompt}{labels}"
    checks = {**protocol.machine_checks, **protocol.dataset_checks}
    for name, check in checks.items():
        yield "check", name, _check_says(protocol, name, check.asks, check.severity)
    yield from _evaluation_rows(protocol)
    for command, plan in (("generate", protocol.generation_plan()), ("discover", protocol.discovery_plan())):
        for name, setting in plan.settings.model_fields.items() if plan else ():
            yield f"setting of {command}", f"{name} = {setting.default}", setting.description or ""
    for value, questions in values_that_wait(protocol).items():
        yield "shown after the answer", value, ", ".join(questions)


def _check_says(protocol: Protocol, name: str, asks: str, severity: str) -> str:
    declared = protocol.declaration.check if isinstance(protocol, DeclaredProtocol) else {}
    if name not in declared:
        return asks or severity
    rule = f"{declared[name].rule} of {', '.join(declared[name].fields)}, {severity}"
    return f"{rule}: {asks}" if asks else rule


def _evaluation_rows(protocol: Protocol) -> Iterator[tuple[str, str, str]]:
    """What `reviewer evaluate` can be told, and what it takes otherwise."""
    if (plan := protocol.evaluation_plan()) is None:
        return
    for factor in plan.factors:
        yield (
            "condition",
            factor.name,
            f"{', '.join(factor.values)}. Default: {', '.join(factor.usual)}.",
        )
    yield "repeats", "", f"{plan.repeats}"
    yield "sampling parameters", "", plan.sampling.in_words


def _declared_rows(protocol: DeclaredProtocol) -> Iterator[tuple[str, str, str]]:
    declared = protocol.declaration
    for name, field in declared.fields.items():
        optional = ", optional" if field.optional else ""
        yield "field", name, f"column {field.column}, {field.type}{optional}"
    for name, value in declared.published.items():
        yield "published value", name, f"column {value.column}"
    for key, pane in declared.pane.items():
        yield "pane", key, f"{pane.kind} of {', '.join(pane.fields)}"
