"""Templates of treatment tests: what those score who do not read, and published scores computed again."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from reviewer.core.errors import InputError
from reviewer.core.number_text import all_digits, fixed
from reviewer.core.sanitize import agreeing, counted, one_line
from reviewer.core.table import Cell, Table
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.template_faults import rests_on_outside
from reviewer.protocols.templates.template_plans import GapTemplates, NotedTable, RulesByGroup
from reviewer.protocols.templates.template_toml import TemplateFile
from reviewer.protocols.treatment_tests.published_scores import (
    COLUMNS,
    PublishedScore,
    RulesMissingError,
    ScoreReader,
    joined_name,
    published_template,
    published_text,
    with_rules,
)
from reviewer.protocols.treatment_tests.treatment_test import (
    SIZE_CAUTION,
    NullScores,
    coin_caution,
    described_scenarios,
    missing_rules,
    null_scores,
    template_weights,
)

_NAMES = tuple(field.name for field in fields(NullScores))
_DIGITS = 6
_MOST_NAMED = 10
_SHOWN = (
    "row",
    "bias",
    "control",
    "treatment",
    "published",
    "recomputed",
    "coin",
    "follows",
    "k",
    "x1",
    "x2",
    "rule",
    "not_read",
)
_Rows = Sequence[tuple[str, PublishedScore | InputError]]
"""The bias of each row, and its score or the reason why it is not read."""


class TreatmentTemplates(GapTemplates):
    """The templates of treatment tests, in the published form and our own."""

    score_columns = COLUMNS

    def published(self, text: str, where: str) -> CaseTemplate:
        """The template of an XML file."""
        return published_template(text, where)

    def published_text(self, template: CaseTemplate) -> str:
        """The template as XML."""
        return published_text(template)

    def rules_key(self, group: str) -> str:
        """The name without blanks and signs."""
        return joined_name(group)

    def with_rules(self, template: CaseTemplate, beside: RulesByGroup) -> CaseTemplate:
        """With rules that a person gives before published ones."""
        return with_rules(template, beside)

    def try_out(self, template: CaseTemplate) -> None:
        """Sum the weights of all parameters, unless a rule uses values that are computed elsewhere."""
        used = [name for rule in template.rules.values() for name in rule.names]
        if template.rules and not rests_on_outside(template, used):
            template_weights(template)

    def remarks(self, read: TemplateFile) -> Sequence[str]:
        """The form of the scenarios, and the templates without rules."""
        without = [one_line(template.group) for template in read.templates if missing_rules(template)]
        return (
            *((described_scenarios(read.scenarios),) if read.scenarios else ()),
            *(
                (f"No rules for k, x1 and x2: {', '.join(without)}. Generation needs them.",)
                if without
                else ()
            ),
        )

    def null_scores(self, templates: Sequence[CaseTemplate], *, rounded: bool) -> NotedTable:
        """The mean scores of a coin and of constant answers."""
        rows = [(template, _nulls(template)) for template in templates]
        _check_any(rows)
        table = Table.of(
            ("group", "options", *_NAMES, "remark"), [tuple(_null_cells(*row, rounded)) for row in rows]
        )
        return NotedTable(table, tuple(_null_notes(rows)))

    def published_scores(
        self, where: str, rows: Sequence[Mapping[str, str]], beside: RulesByGroup, *, differing: bool
    ) -> NotedTable:
        """Which published scores follow from the rules."""
        read = _read_rows(where, rows, ScoreReader(beside))
        scores = [score for _, score in read if isinstance(score, PublishedScore)]
        if read and not scores:
            raise next(fault for _, fault in read if isinstance(fault, InputError))
        shown = [
            _cells(number, *row) for number, row in enumerate(read, 1) if not differing or _differs(row[1])
        ]
        follow = sum(score.follows for score in scores)
        of = f"Of {counted(len(scores), 'score')}, {follow:,} follow from the rules"
        first = f"{of} and {len(scores) - follow:,} do not."
        return NotedTable(Table.of(_SHOWN, shown), (first, *_not_read(read), *_shifted(scores)))


def _null_notes(rows: Sequence[tuple[CaseTemplate, NullScores | str]]) -> Iterator[str]:
    shifted = [one_line(of.group) for of, nulls in rows if isinstance(nulls, NullScores) and nulls.is_shifted]
    if shifted:
        yield coin_caution(shifted, "its scores with the coin's")
    if lacking := [one_line(template.group) for template, nulls in rows if isinstance(nulls, str)]:
        yield f"Rules or values are missing: {', '.join(lacking)}. Give them with --rules FILE."
    yield SIZE_CAUTION


def _nulls(template: CaseTemplate) -> NullScores | str:
    """The scores, or what the template lacks for them."""
    if missing := missing_rules(template):
        return f"no rule for {missing[0]}"
    used = [name for rule in template.rules.values() for name in rule.names]
    if outside := [name for name in used if rests_on_outside(template, [name])]:
        return f"value {outside[0]} is computed elsewhere"
    return null_scores(len(template.variants[0].control.options), template_weights(template))


def _check_any(rows: Sequence[tuple[CaseTemplate, NullScores | str]]) -> None:
    """Raise InputError if no template has what its scores need."""
    if all(isinstance(nulls, str) for _, nulls in rows):
        template, lacks = rows[0]
        wrong = f"the template of {one_line(template.group)!r} has {lacks}"
        raise InputError(template.where, wrong, "give it with --rules FILE")


def _null_cells(template: CaseTemplate, nulls: NullScores | str, rounded: bool) -> Iterator[Cell]:
    yield template.group
    yield len(template.variants[0].control.options)
    if isinstance(nulls, str):
        yield from [None] * len(_NAMES)
        yield nulls
        return
    for name in _NAMES:
        number = float(getattr(nulls, name))
        yield fixed(number, _DIGITS) if rounded else all_digits(number)
    yield "a coin does not score 0" if nulls.is_shifted else ""


def _read_rows(where: str, rows: Sequence[Mapping[str, str]], reader: ScoreReader) -> _Rows:
    read: list[tuple[str, PublishedScore | InputError]] = []
    for number, row in enumerate(rows, 1):
        try:
            read.append((row["bias"], reader.read(row, f"{where}, row {number}")))
        except InputError as fault:
            read.append((row["bias"], fault))
    return read


def _differs(score: PublishedScore | InputError) -> bool:
    return isinstance(score, PublishedScore) and not score.follows


def _not_read(rows: _Rows) -> Iterator[str]:
    """What is to be said of rows that are not read: by bias if only its rules lack, else one by one."""
    unknown = Counter(one_line(bias) for bias, fault in rows if isinstance(fault, RulesMissingError))
    if unknown:
        named = ", ".join(f"{bias} ({number:,})" for bias, number in unknown.items())
        are = agreeing(unknown.total(), "row is", "rows are")
        yield f"{unknown.total():,} {are} not read, for lack of rules: {named}. Give them with --rules FILE."
    faults = [fault for _, fault in rows if type(fault) is InputError]
    yield from (f"Not read: {fault}" for fault in faults[:_MOST_NAMED])
    if more := len(faults[_MOST_NAMED:]):
        yield f"Not read: {counted(more, 'more row')}; the column not_read says why."


def _shifted(scores: Sequence[PublishedScore]) -> Iterator[str]:
    if shifted := [one_line(test) for test in dict.fromkeys(score.test for score in scores if score.coin)]:
        yield coin_caution(shifted, "scores with the column coin")


def _cells(number: int, bias: str, score: PublishedScore | InputError) -> tuple[Cell, ...]:
    if isinstance(score, InputError):
        return (number, bias, *([None] * (len(_SHOWN) - 3)), f"{score.wrong}; {score.remedy}")
    given = score.parameters
    parameters = (given.k, given.x1, given.x2) if given else (None, None, None)
    return (
        number,
        score.test,
        score.control,
        score.treatment,
        score.published,
        all_digits(score.recomputed),
        all_digits(score.coin),
        score.follows,
        *parameters,
        score.rule,
        "",
    )
