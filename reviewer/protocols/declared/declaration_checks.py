"""Whether the tables of a declaration fit each other: names exist, labels differ, every field is used."""

from collections.abc import Iterator, Mapping
from itertools import chain

from reviewer.core.sanitize import is_blank, is_single_line, shown
from reviewer.protocols.declared.declaration import Declaration, PaneTable, SourceTable
from reviewer.protocols.declared.declaration_faults import (
    MADE_PANES,
    OF_THE_CASE,
    Misfit,
    Names,
    alike,
    placeholders,
    unfilled,
    unknown,
)
from reviewer.protocols.declared.mapping import columns_in
from reviewer.protocols.declared.question_checks import (
    argument_faults,
    evaluation_misfits,
    options_misfits,
    question_misfits,
    used_fields,
)
from reviewer.protocols.declared.rule_checks import DATASET_RULES, EQUAL_FIELDS
from reviewer.protocols.declared.variant_lines import variants_named

_FEWEST, _MOST_VARIANTS = 2, 9


def misfits(
    declaration: Declaration, names: Names, *, whole: bool = True, try_patterns: bool = True
) -> Iterator[Misfit]:
    """Every fault between tables. ``names`` are those in the file, also of tables that are not valid.

    A declaration that is not ``whole`` lacks these tables, which may use what nothing else uses.
    """
    yield from _alike_names(names)
    yield from _fields(declaration, names)
    if whole:
        yield from _unused_fields(declaration)
    yield from _source(declaration)
    yield from _published(declaration, names)
    for key, pane in declaration.pane.items():
        yield from _pane(f"pane.{key}", pane, declaration, names)
    for key, question in declaration.question.items():
        yield from question_misfits(f"question.{key}", question, declaration, names)
    yield from _checks(declaration, names, try_patterns)
    yield from evaluation_misfits(declaration, names)
    yield from _texts(declaration)


# -- names -----------------------------------------------------------------------------------------


def _alike_names(names: Names) -> Iterator[Misfit]:
    for table, keys in names.items():
        for first, second in alike(keys):
            wrong = f"{shown(second)!r} differs from {shown(first)!r} only in case or blanks"
            yield Misfit(table, "", wrong, "rename one of them")
    for field in names["fields"]:
        if field in OF_THE_CASE:
            yield Misfit("fields", field, "is a name that every case has already", "give the field another")
        if field in names["published"]:
            yield Misfit(f"published.{field}", "", "is the name of a field too", "rename one of them")
    for pane in names["pane"]:
        if pane in MADE_PANES:
            wrong = "is a pane that every protocol has already"
            yield Misfit(f"pane.{pane}", "", wrong, "give the pane another name")


# -- fields and source -----------------------------------------------------------------------------


def _fields(declaration: Declaration, names: Names) -> Iterator[Misfit]:
    columns = {name: field.column for name, field in declaration.fields.items()}
    for circle in _circles(columns):
        wrong = f"the fields {' and '.join(circle)} are mapped onto each other in a circle"
        yield Misfit("fields", circle[0], wrong, "name each field after the column that holds it")
    if headline := declaration.protocol.headline:
        known = [*names["fields"], "group"]
        yield from unfilled("protocol", "headline", headline, known)


def _circles(columns: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
    """The fields whose columns are the names of each other, each circle once."""
    done: set[str] = set()
    for start in columns:
        path: list[str] = []
        name = start
        while name in columns and name not in path and name not in done:
            path.append(name)
            name = columns[name]
        if name in path and len(circle := path[path.index(name) :]) > 1:
            yield tuple(circle)
        done.update(path)


def _unused_fields(declaration: Declaration) -> Iterator[Misfit]:
    templates = [question.prompt for question in declaration.question.values()]
    templates.append(declaration.protocol.headline or "")
    used = {
        *chain.from_iterable(pane.fields for pane in declaration.pane.values()),
        *chain.from_iterable(check.fields for check in declaration.check.values()),
        *chain.from_iterable(map(placeholders, templates)),
        *(used_fields(declaration.evaluation) if declaration.evaluation else ()),
        *(question.each for question in declaration.question.values()),
        *(question.options for question in declaration.question.values()),
    }
    for name in declaration.fields:
        if name not in used:
            wrong = "no pane shows this field, and no prompt, headline or check uses it"
            yield Misfit("fields", name, wrong, "add it to the fields of a pane, or leave it out")


def _source(declaration: Declaration) -> Iterator[Misfit]:
    source = declaration.source
    if source.key is not None and not columns_in(source.key):
        remedy = 'name a column in braces, such as "{id}"'
        yield Misfit("source", "key", "holds no column, so that all rows have the same key", remedy)
    opinions = {table.column for table in declaration.published.values() if table.opinion_on}
    for place, columns in _columns_of_source(source).items():
        for column in sorted(opinions.intersection(columns)):
            wrong = f"names column {column!r}, which is an opinion that raters would see before they answer"
            yield Misfit("source", place, wrong, "name another column")
    yield from _identity(declaration)
    yield from _lines_of_items(declaration)
    if source.group is None and len(declaration.groups) > 1:
        wrong = f"is missing, so nothing says which of the {len(declaration.groups)} groups a row belongs to"
        yield Misfit("source", "group", wrong, "name the column that holds the group")


def _identity(declaration: Declaration) -> Iterator[Misfit]:
    """Columns that are fields already, and a check that would have the name of the one about equal cases."""
    shown_columns = {field.column: name for name, field in declaration.fields.items()}
    for column in declaration.source.identity:
        if column in shown_columns:
            wrong = (
                f"names column {column!r}, which belongs to the identity as field {shown_columns[column]!r}"
            )
            remedy = "leave it out here, or leave the field out if raters are not to see it"
            yield Misfit("source", "identity", wrong, remedy)
    for first, second in alike(declaration.source.identity):
        if first == second:
            yield Misfit("source", "identity", f"names {first!r} twice", "name each column once")
    if declaration.source.identity and EQUAL_FIELDS in declaration.check:
        wrong = "has the name of the check that [source] identity brings"
        yield Misfit(f"check.{EQUAL_FIELDS}", "", wrong, "give the check another name")


def _lines_of_items(declaration: Declaration) -> Iterator[Misfit]:
    """Items need a column that tells their lines apart, and fields that name columns by variant."""
    item, variant = declaration.source.item, declaration.source.variant
    if (item is None) != (variant is None):
        given, other = ("item", "variant") if variant is None else ("variant", "item")
        wrong = f"is there without {other}; the two say together which lines are one case"
        yield Misfit("source", given, wrong, f"name the column of {other} too, or leave it out")
    elif item is not None and not variants_named(declaration):
        wrong = "joins the lines of an item, and no field names a column by variant"
        yield Misfit("source", "item", wrong, "name a field's column with its variant, such as output.atlas")


def _columns_of_source(source: SourceTable) -> dict[str, list[str]]:
    """Which columns name the key, the group and the generator of a case."""
    named = {"group": source.group, "generator": source.generator}
    columns = {place: [column] for place, column in named.items() if isinstance(column, str)}
    return {"key": columns_in(source.key or ""), **columns}


def _published(declaration: Declaration, names: Names) -> Iterator[Misfit]:
    shown_columns = {field.column: name for name, field in declaration.fields.items()}
    for name, table in declaration.published.items():
        at = f"published.{name}"
        if table.opinion_on is None:
            if table.labels:
                remedy = "add opinion_on with the question, or leave the labels out"
                yield Misfit(at, "labels", "stand for labels of no question", remedy)
            if table.must_agree:
                remedy = "add opinion_on with the question, or leave must_agree out"
                yield Misfit(at, "must_agree", "is for an opinion on a question", remedy)
            continue
        yield from unknown(at, "opinion_on", [table.opinion_on], names["question"], "question")
        yield from options_misfits(at, table.options, declaration, names)
        yield from _on_entries(at, "opinion_on", table.opinion_on, declaration)
        if table.column in shown_columns:
            wrong = (
                f"is also the column of field {shown_columns[table.column]!r}, which would show the opinion"
            )
            yield Misfit(at, "column", wrong, "leave that field out")
        question = declaration.question.get(table.opinion_on)
        if question and question.labels:
            yield from unknown(at, "labels", table.labels.values(), question.labels, "label")
        if question and table.must_agree and not question.passing:
            wrong = f"is true, and question {table.opinion_on!r} has no passing label"
            yield Misfit(at, "must_agree", wrong, "give the question passing labels, or leave must_agree out")


def _on_entries(at: str, key: str, question: str, declaration: Declaration) -> Iterator[Misfit]:
    """A fault where something is about a question that is asked for each entry of a list."""
    table = declaration.question.get(question)
    if table is not None and table.each is not None:
        wrong = f"names question {question!r}, which is asked once for each entry of {table.each!r}"
        yield Misfit(at, key, wrong, "leave it out; it can only name a question that is asked once")


# -- panes -----------------------------------------------------------------------------------------


def _pane(at: str, pane: PaneTable, declaration: Declaration, names: Names) -> Iterator[Misfit]:
    known = [*names["fields"], *(names["published"] if pane.kind == "table" else ())]
    yield from unknown(at, "fields", pane.fields, known, "field")
    for first, second in alike(pane.fields):
        if first == second:
            yield Misfit(at, "fields", f"names {first!r} twice", "name each field once")
    yield from _number_of_fields(at, pane, declaration)
    yield from _types_of_fields(at, pane, declaration)
    for key, kinds in _ONLY_OF.items():
        if key in pane.model_fields_set and pane.kind not in kinds:
            wrong = f"is for panes of kind {' or '.join(kinds)}, and this one is of kind {pane.kind}"
            yield Misfit(at, key, wrong, "leave it out, or change the kind")
    if pane.titles and len(pane.fields) > 1 and len(pane.titles) != len(pane.fields):
        wrong = f"has {len(pane.titles)} titles for {len(pane.fields)} fields"
        yield Misfit(at, "titles", wrong, "give each field one title")


_ONLY_OF = {
    "compared": ("pair", "variants"),
    "reworded": ("pair",),
    "language": ("code", "pair", "variants"),
    "lettered": ("text",),
    "titles": ("pair", "variants"),
}


def _number_of_fields(at: str, pane: PaneTable, declaration: Declaration) -> Iterator[Misfit]:
    count, kind = len(pane.fields), pane.kind
    if kind in ("code", "dialogue") and count != 1:
        yield Misfit(at, "fields", f"has {count} fields; a pane of kind {kind} shows one", "name one field")
    if kind == "pair" and count != _FEWEST:
        yield Misfit(at, "fields", f"has {count} fields; a pair has two", "name the two fields of the pair")
    if kind == "variants" and not _FEWEST <= count <= _MOST_VARIANTS and not _is_one_list(pane, declaration):
        wrong = f"has {count} {'field' if count == 1 else 'fields'}; variants are two to nine"
        yield Misfit(at, "fields", wrong, "name two to nine fields, or one field of type list")


def _is_one_list(pane: PaneTable, declaration: Declaration) -> bool:
    field = declaration.fields.get(pane.fields[0])
    return len(pane.fields) == 1 and (field is None or field.type == "list")


def _types_of_fields(at: str, pane: PaneTable, declaration: Declaration) -> Iterator[Misfit]:
    for name in pane.fields:
        field = declaration.fields.get(name)
        if field is None:
            continue
        if (pane.kind == "dialogue") != (field.type == "dialogue"):
            remedy = f"give field {name} another type, or the pane another kind"
            wrong = f"field {name!r} is of type {field.type}, which a pane of kind {pane.kind} cannot show"
            yield Misfit(at, "fields", wrong, remedy)


# -- checks and texts ------------------------------------------------------------------------------


def _checks(declaration: Declaration, names: Names, try_patterns: bool) -> Iterator[Misfit]:
    for name, check in declaration.check.items():
        at = f"check.{name}"
        of_dataset = check.rule in DATASET_RULES
        known = [*names["fields"], *(names["published"] if of_dataset else ())]
        yield from unknown(at, "fields", check.fields, known, "field")
        if check.question is not None:
            yield from unknown(at, "question", [check.question], names["question"], "question")
            yield from _on_entries(at, "question", check.question, declaration)
        yield from argument_faults(at, check, try_pattern=try_patterns)


def _texts(declaration: Declaration) -> Iterator[Misfit]:
    """Titles and names that are shown in one line."""
    for table, key, text in _lines(declaration):
        if not is_single_line(text) or is_blank(text):
            yield Misfit(table, key, f"{shown(text)!r} is not one line of text", "write it in one line")


def _lines(declaration: Declaration) -> Iterator[tuple[str, str, str]]:
    yield "protocol", "title", declaration.protocol.title
    for group in declaration.groups:
        yield "groups", "", group
    for section in ("fields", "published", "pane", "question"):
        for name, table in getattr(declaration, section).items():
            at, key = (section, f"{name}.title") if section == "fields" else (f"{section}.{name}", "title")
            if table.title is not None:
                yield at, key, table.title
    for name, question in declaration.question.items():
        for label in (*question.labels, *(question.titles or ())):
            yield f"question.{name}", "labels", label
