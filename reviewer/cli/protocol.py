"""``reviewer protocol``: protocols that are declared in a file."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click

from reviewer.cli.printing import note, print_table, print_text
from reviewer.cli.store_access import is_new_store, open_store, protocols_here
from reviewer.core.errors import RequestError
from reviewer.core.names import closest
from reviewer.core.question import families
from reviewer.core.sanitize import agreeing, counted
from reviewer.core.table import Table
from reviewer.core.whole_files import write_texts
from reviewer.exchange.rows.declaration_file import declared_in, undefined_notice
from reviewer.exchange.rows.shipped import example_commands, example_files, example_names
from reviewer.options.protocol import (
    ProtocolCheckOptions,
    ProtocolExampleOptions,
    ProtocolListOptions,
    ProtocolShowOptions,
)
from reviewer.protocols.base import Protocol
from reviewer.protocols.declared.declaration_reading import DeclarationError
from reviewer.protocols.declared.declared_protocol import DeclaredProtocol
from reviewer.protocols.evaluation import EvaluationPlan
from reviewer.protocols.procedure import Procedure
from reviewer.protocols.registry import Protocols, protocols_of
from reviewer.study.session.blinded_panes import values_that_wait
from store.cases import list_datasets
from store.location import DEFAULT_LOCATION
from store.studies import list_studies

_CHECK_COLUMNS = ("place", "wrong", "remedy")


def protocol_check_command(options: ProtocolCheckOptions) -> None:
    """``reviewer protocol check``: whether a file declares a protocol, and every fault of it."""
    try:
        protocol, _ = declared_in(options.file, protocols_here())
    except DeclarationError as error:
        rows = [(fault.where, fault.wrong, fault.remedy) for fault in error.faults]
        print_table(Table.of(_CHECK_COLUMNS, rows), options.form)
        listed = f"has {counted(len(rows), 'fault')}, listed above"
        them = agreeing(len(rows), "it", "them")
        raise RequestError(f"{options.file.name!r} {listed}; correct {them} and check it again.") from None
    if options.form != "table":
        print_table(Table.of(_CHECK_COLUMNS, []), options.form)
    note(_says(options.file, protocol))
    declared = protocol.declaration
    if notice := undefined_notice(declared, declared.groups, ()):
        note(f"Note: {notice}.")


def _says(file: Path, protocol: DeclaredProtocol) -> str:
    declared = protocol.declaration
    sizes = {
        "field": len(declared.fields),
        "group": len(declared.groups),
        "pane": len(declared.pane),
        "question": len(declared.question),
        "check": len(declared.check),
    }
    parts = ", ".join(counted(number, noun) for noun, number in sizes.items() if number)
    groups = "" if declared.groups else " Its groups come from the data."
    return (
        f"{file.name} declares protocol {protocol.name}, version {protocol.version}, without a fault: "
        f"{parts}.{groups}"
    )


_SHOW_COLUMNS = ("part", "name", "says")


def protocol_show_command(options: ProtocolShowOptions) -> None:
    """``reviewer protocol show``: what a protocol asks, shows and checks."""
    protocols = protocols_here()
    if options.store != DEFAULT_LOCATION or not is_new_store(options.store):
        protocols = protocols_of(open_store(options.store))
    protocol = protocols.named(options.name)
    if options.text:
        print_text(_text(protocols, protocol))
    else:
        print_table(Table.of(_SHOW_COLUMNS, list(_rows(protocol))), options.form)


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
    for question, *entries in families(protocol.questions):
        labels = f" [{' | '.join(question.labels)}]" if question.labels else ""
        each = f" (for each of at most {len(entries) + 1} entries)" if question.entry else ""
        each = f" (for each of {', '.join(question.outputs)})" if question.outputs else each
        yield "question", question.family, f"{question.template}{labels}{each}"
    checks = {**protocol.machine_checks, **protocol.dataset_checks}
    for name, check in checks.items():
        yield "check", name, _check_says(protocol, name, check.asks, check.severity)
    yield from _evaluation_rows(protocol)
    for plan in protocol.procedures():
        if isinstance(plan, Procedure):
            yield "procedure", plan.name, f"roles: {', '.join(_roles(plan))}"
            for name, setting in plan.settings.model_fields.items():
                yield f"setting of {plan.name}", f"{name} = {setting.default}", setting.description or ""
    for value, questions in values_that_wait(protocol).items():
        yield "shown after the answer", value, ", ".join(questions)


def _roles(plan: Procedure) -> Iterator[str]:
    """The roles of a procedure, and the default of each that has no named model."""
    for role in plan.roles:
        stands_in = plan.unnamed.get(role)
        without = f" (if not named: {stands_in or 'left out'})" if stands_in is not None else ""
        yield role + without


def _check_says(protocol: Protocol, name: str, asks: str, severity: str) -> str:
    declared = protocol.declaration.check if isinstance(protocol, DeclaredProtocol) else {}
    if name not in declared:
        return asks or severity
    rule = f"{declared[name].rule} of {', '.join(declared[name].fields)}, {severity}"
    return f"{rule}: {asks}" if asks else rule


def _evaluation_rows(protocol: Protocol) -> Iterator[tuple[str, str, str]]:
    """The conditions, roles and settings of `reviewer evaluate`, with their defaults."""
    if (plan := protocol.offered(EvaluationPlan)) is None:
        return
    for factor in plan.factors:
        yield (
            "condition",
            factor.name,
            f"{', '.join(factor.values)}. Default: {', '.join(factor.usual)}.",
        )
    if plan.roles:
        yield "further roles", "", ", ".join(plan.roles)
    for name, setting in plan.settings.model_fields.items():
        yield "setting of evaluate", f"{name} = {setting.default}", setting.description or ""
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


_LIST_COLUMNS = ("protocol", "version", "title", "from", "questions", "datasets", "studies")


def protocol_list_command(options: ProtocolListOptions) -> None:
    """``reviewer protocol list``: the protocols of this release, of other packages and of the store."""
    protocols, used = protocols_here(), Counter[tuple[str, str]]()
    if options.store != DEFAULT_LOCATION or not is_new_store(options.store):
        database = open_store(options.store)
        protocols = protocols_of(database)
        with database.read() as session:
            used.update(("dataset", dataset.protocol) for dataset in list_datasets(session))
            used.update(("study", study.protocol) for study in list_studies(session))
    rows = [_row(protocol, None, "the release", used) for protocol in protocols.of_the_release]
    rows += [_row(protocol, None, "a package", used) for protocol in protocols.of_packages]
    for reference in protocols.kept.references:
        declared = protocols.kept[reference]
        rows.append(_row(declared, declared.version, "the store", used))
    print_table(Table.of(_LIST_COLUMNS, rows), options.form)
    note(*(f"Note: {fault}" for fault in protocols.faults))


def _row(
    protocol: Protocol, version: int | None, origin: str, used: Counter[tuple[str, str]]
) -> tuple[str | int | None, ...]:
    datasets, studies = (used[kind, protocol.reference] for kind in ("dataset", "study"))
    return (
        *(protocol.name, version, protocol.title, origin),
        *(len(protocol.questions), datasets, studies),
    )


def protocol_example_command(options: ProtocolExampleOptions) -> None:
    """``reviewer protocol example``: the shipped examples with their data, to try and to begin from."""
    protocols = protocols_here()
    names = example_names(protocols)
    if options.name is None:
        click.echo("\n".join(names))
        note("Write one with `reviewer protocol example NAME FOLDER`.")
        return
    if options.name not in names:
        raise RequestError(
            f"there is no example {options.name!r}; {closest(options.name, names, 'use one of')}."
        )
    target = options.folder or Path()
    files = example_files(options.name, protocols)
    for file in files:
        if (target / file).exists():
            raise RequestError(f"file {str(target / file)!r} exists; give another FOLDER.")
    write_texts(target, files)
    click.echo("\n".join(example_commands(options.name, target, protocols)))
