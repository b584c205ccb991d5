"""What published tests compute beside their templates: values, rules for k, x1 and x2, and scores.

A file of the published form holds only texts and lists. These rules follow from the published decisions and
from the published code's description. Texts that a model writes for them have our own instructions.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from reviewer.core.errors import InputError, RequestError
from reviewer.core.sanitize import shown
from reviewer.protocols.templates.case_template import (
    AskedValue,
    CaseTemplate,
    ChoiceRule,
    ComputedValue,
    ListedValue,
    NumberRule,
    NumberValue,
    OutsideValue,
    TemplateRule,
    TemplateValue,
)
from reviewer.protocols.templates.expressions import ValueExpression
from reviewer.protocols.templates.gap_text import parse_gap_text
from reviewer.protocols.templates.pieces import TextPlace
from reviewer.protocols.templates.template_faults import check_template
from reviewer.protocols.treatment_tests.published_xml import template_from_xml, template_to_xml
from reviewer.protocols.treatment_tests.treatment_test import (
    ScoreParameters,
    Weights,
    null_scores,
    template_weights,
)

_Rules = Mapping[str, TemplateRule]


def _rules(k: TemplateRule | int, x1: str = "0", x2: str = "0") -> _Rules:
    first = NumberRule(ValueExpression.of(str(k))) if isinstance(k, int) else k
    return {"k": first, **{name: NumberRule(ValueExpression.of(x)) for name, x in (("x1", x1), ("x2", x2))}}


def _by(value: str, **choices: int) -> ChoiceRule:
    return ChoiceRule(value, tuple(choices.items()))


def _asked(instruction: str) -> AskedValue:
    return AskedValue(parse_gap_text(instruction, lambda offset: TextPlace(), "published"))


_RULES: Final[Mapping[str, _Rules]] = {
    "Anchoring": _rules(1, "round(anchor / 10)", "round(anchor / 10)"),
    "BandwagonEffect": _rules(_by("majority_opinion", A=-1, B=1), "0", "6"),
    "ConfirmationBias": _rules(1),
    "FramingEffect": _rules(-1),
    "HaloEffect": _rules(_by("perception", positively=1, negatively=-1)),
    "InformationBias": _rules(-1, "0", "6"),
    "NotInventedHere": _rules(-1),
    "PlanningFallacy": _rules(1, "-estimation_update / 10", "-3"),
    "SelfServingBias": _rules(1),
    "StatusQuoBias": _rules(-1, "0", "6"),
}
_SAMPLED: Final[Mapping[str, Mapping[str, TemplateValue]]] = {
    "Anchoring": {"anchor": NumberValue(10, 90)},
    "PlanningFallacy": {"estimation_update": NumberValue(10, 50, 10)},
}
"""What the numbers of rules are sampled from, for published decisions. Choices of texts are in the rules."""
_COURSE = "a course of action that the organization could follow, in one clause that names no person"
_VALUES: Final[Mapping[str, Mapping[str, TemplateValue]]] = {
    "FramingEffect": {"second_percentage": ComputedValue(ValueExpression.of("100 - first_percentage"))},
    "NotInventedHere": {
        "externality_statement": _asked(
            "one sentence in the second person without a full stop that says who made the proposal: a "
            "colleague whose distance from the manager is {{externality}} (if spatial, from {{country}})"
        )
    },
    "StatusQuoBias": {
        "status A": _asked(_COURSE),
        "status B": _asked(f"{_COURSE}, other than the first one"),
    },
}


def joined_name(name: str) -> str:
    """The name of a bias as published tables write it, without blanks."""
    return "".join(name.split())


def rules_of_bias(bias: str, beside: Mapping[str, CaseTemplate]) -> CaseTemplate | None:
    """The rules of a bias with the values that they use: those beside the file, else those known.

    None if there are none. Raises InputError if the rules beside the file use a value that they do not give.
    """
    name = joined_name(bias)
    if name in beside:
        return _complete(beside[name])
    if name in _RULES:
        return _complete(CaseTemplate(bias, _SAMPLED.get(name, {}), (), rules=_RULES[name]))
    return None


def _complete(template: CaseTemplate) -> CaseTemplate:
    """The rules with a list for each value whose choices only a rule names; raises InputError."""
    rules = [rule for rule in template.rules.values() if isinstance(rule, ChoiceRule)]
    listed = {rule.value: ListedValue(tuple(choice for choice, _ in rule.choices)) for rule in rules}
    complete = replace(template, values={**listed, **template.values})
    check_template(complete, template.file)
    return complete


def with_rules(template: CaseTemplate, beside: Mapping[str, CaseTemplate]) -> CaseTemplate:
    """A template with the values and rules beside its file, which count before its own; raises InputError."""
    given = beside.get(joined_name(template.group))
    if given is None:
        return template
    whole = replace(
        template,
        values={**template.values, **given.values},
        rules={**template.rules, **given.rules},
        definition=given.definition or template.definition,
    )
    check_template(whole, given.file)
    return whole


def published_template(text: str, where: str) -> CaseTemplate:
    """The template of a published file with the rules and values of its bias; raises InputError.

    A bias that is not among the ten has no rules.
    """
    template = template_from_xml(text, where)
    bias = joined_name(template.group)
    values = {name: _computed(bias, name, value) for name, value in template.values.items()}
    added = _VALUES.get(bias, {})
    values |= {name: added[name] for name in added if values.get(name) == OutsideValue()}
    rules = _RULES.get(bias, {})
    known = {name: rule for name, rule in rules.items() if values.keys() >= set(rule.names)}
    whole = replace(template, values=values, rules=known)
    check_template(whole, where)
    return whole


def _computed(bias: str, name: str, value: TemplateValue) -> TemplateValue:
    """Updates of plans are sampled in steps of ten percent, which the file does not say."""
    is_update = (bias, name) == ("PlanningFallacy", "estimation_update")
    match value:
        case NumberValue(int(least), int(below), 1) if is_update:
            return replace(value, least=least * 10, below=below * 10, step=10)
        case _:
            return value


def published_text(template: CaseTemplate) -> str:
    """The published form of a template; raises RequestError for parts that this form cannot hold."""
    bias = joined_name(template.group)
    added = _VALUES.get(bias, {})
    if template.definition or (template.rules and template.rules != _RULES.get(bias)):
        what = "a definition" if template.definition else "rules"
        raise RequestError(
            f"the published form has no place for {what} of {bias!r}; write the template as TOML."
        )
    values = {
        name: _as_in_file(bias, name, value)
        for name, value in template.values.items()
        if added.get(name) != value
    }
    return template_to_xml(replace(template, values=values))


def _as_in_file(bias: str, name: str, value: TemplateValue) -> TemplateValue:
    """A value without the steps that reading adds."""
    match value:
        case NumberValue(int(least), int(below), 10) if least % 10 == below % 10 == 0:
            plain = replace(value, least=least // 10, below=below // 10, step=1)
            return plain if _computed(bias, name, plain) == value else value
        case _:
            return value


COLUMNS: Final = ("bias", "options", "control_decision", "treatment_decision", "published_score")
_CLOSE: Final = 1e-6
"""Published scores have six digits."""


@dataclass(frozen=True, slots=True)
class PublishedScore:
    """One published row, and its score by the rules of its bias.

    ``follows``: some parameters that the rules allow give the score. ``parameters`` are the first of these,
    or others that would give it; None if nothing near the rules does. ``rule`` says which rule was changed,
    and ``coin`` is the mean score of a coin by the rules.
    """

    test: str
    control: int
    treatment: int
    published: float
    follows: bool
    parameters: ScoreParameters | None
    rule: str
    coin: float

    @property
    def recomputed(self) -> float | None:
        """The score by these parameters."""
        return None if self.parameters is None else float(self.parameters.score(self.control, self.treatment))


class RulesMissingError(InputError):
    """A row of a bias whose rules are not known."""


@dataclass(slots=True)
class ScoreReader:
    """Reads published rows. ``beside`` are the rules that a person gives, by bias; they count first."""

    beside: Mapping[str, CaseTemplate]
    _weights: dict[str, Weights] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises InputError for a fault of the rules that somebody gives, before any row is read."""
        for name, rules in self.beside.items():
            self._weights_of(name, rules.where)

    def read(self, row: Mapping[str, str], where: str) -> PublishedScore:
        """What the rules say of a row; raises InputError."""
        weights = self._weights_of(row["bias"], where)
        allowed = list(weights)
        options = _number(row, "options", where, 2, 100)
        control, treatment = (
            _number(row, f"{name}_decision", where, 0, options - 1) for name in ("control", "treatment")
        )
        published = _score(row, where)
        coin = float(null_scores(options, weights).coin)
        for follows, parameters, rule in (
            *((True, given, "") for given in allowed),
            *((False, given, rule) for given, rule in _changed(allowed, options)),
        ):
            if abs(float(parameters.score(control, treatment)) - published) <= _CLOSE:
                return PublishedScore(
                    row["bias"], control, treatment, published, follows, parameters, rule, coin
                )
        near = "no rule near these gives it"
        return PublishedScore(row["bias"], control, treatment, published, False, None, near, coin)

    def _weights_of(self, bias: str, where: str) -> Weights:
        """The parameters that the rules of a bias allow, as often as choices of values give them."""
        name = joined_name(bias)
        if name not in self._weights:
            rules = rules_of_bias(bias, self.beside)
            if rules is None:
                wrong = f"names the bias {shown(bias)!r}, whose rules are not known"
                raise RulesMissingError(where, wrong, "give its rules with --rules, or correct the name")
            self._weights[name] = template_weights(rules)
        return self._weights[name]


def _changed(allowed: list[ScoreParameters], options: int) -> Iterator[tuple[ScoreParameters, str]]:
    """Parameters that break one rule, with the rule that would allow them."""
    for parameter, number in (("x2", 0), ("x1", 0), ("x2", options - 1), ("x1", options - 1)):
        for given in allowed:
            yield _with(given, parameter, number), f"only with {parameter} = {number}"
    for given in allowed:
        yield replace(given, k=-given.k), f"only with k = {-given.k:+d}"
        yield ScoreParameters(given.k, given.x2, given.x1), "only with x1 and x2 exchanged"


def _with(given: ScoreParameters, parameter: str, number: int) -> ScoreParameters:
    return replace(given, x1=number) if parameter == "x1" else replace(given, x2=number)


def _number(row: Mapping[str, str], name: str, where: str, least: int, most: int) -> int:
    text = row[name].strip()
    if not text.isdecimal() or not least <= int(text) <= most:
        wrong = f"has {shown(text)!r} as its {name}, which is not a whole number from {least} to {most}"
        raise InputError(where, wrong, "correct it; decisions count options from 0")
    return int(text)


def _score(row: Mapping[str, str], where: str) -> float:
    text = row["published_score"].strip()
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if not -1 <= score <= 1:
        wrong = f"has {shown(text)!r} as its published_score, which is not a number from -1 to 1"
        raise InputError(where, wrong, "correct it")
    return score
