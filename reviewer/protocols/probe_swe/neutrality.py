"""Whether logic treats both versions of a pair equally: the same decision in the same number of steps."""

from reviewer.core.check_result import CheckResult, result_of
from reviewer.oracle.endings import did_not_run, without_decision
from reviewer.oracle.result import Result, Status

OPTIONS = ("option_A", "option_B")
_DECISION = "decide_option/2"


def neutrality_checks(unbiased: Result, biased: Result) -> tuple[CheckResult, ...]:
    """Both decide, for an option, for the same one, in equally many inference and choice steps above 0."""
    first, second = unbiased.choice, biased.choice
    checks = [_answers("unbiased", unbiased), _answers("biased", biased)]
    if not all(check.passed for check in checks):
        return tuple(checks)
    differ = "" if first == second else f"The unbiased program decides {first}, the biased one {second}."
    checks.append(result_of("decision", first == second, [first, second], None, differ))
    for name in ("inference_steps", "choice_steps"):
        values = [getattr(result.counts, name, None) for result in (unbiased, biased)]
        checks.append(_steps(name, values))
    return tuple(checks)


def _answers(version: str, result: Result) -> CheckResult:
    if result.status is not Status.OK:
        how = without_decision(result, _DECISION) if result.ran else did_not_run(result)
        return result_of("runs", False, result.status.value, None, f"The {version} program {how}.")
    chosen = result.choice in OPTIONS
    why = (
        ""
        if chosen
        else f"The {version} program decides {str(result.choice)[:80]!r}, {_unlike_options(result)}."
    )
    return result_of("runs", chosen, str(result.choice)[:80], None, why)


def _unlike_options(result: Result) -> str:
    """How a choice differs from the options. Generation needs the exact spelling; the audit ignores case."""
    named = {option.casefold(): option for option in OPTIONS}.get(str(result.choice).casefold())
    if named is None:
        return "which is no option"
    return f"which differs from {named} in upper and lower case; generation takes the exact spelling only"


def _steps(name: str, values: list[int | None]) -> CheckResult:
    same, some = values[0] == values[1], bool(values[0])
    title = name.replace("_", " ")
    why = "" if same else f"The versions take {values[0]} and {values[1]} {title}."
    if same and not some:
        why = f"The programs take no {title}."
    return result_of(name, same and some, values, None, why)
