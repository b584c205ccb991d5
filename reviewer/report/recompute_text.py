"""How to compute a report again: the release, the ledger's digest, the seed, and what to type."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from shlex import quote

from reviewer import __version__
from reviewer.core.number_text import DIGITS
from reviewer.core.sanitize import counted
from reviewer.report.document import Block, Commands, Facts, Paragraph, Section, words
from reviewer.report.report_choices import Look
from reviewer.results.labels.agreement_results import Method
from reviewer.results.labels.judge_results import JudgeResult
from reviewer.study.design.study_bundle import StudyBundle
from store.records import Event, digest_of

_EVENTS = "every answer, comment, flag, decision and correction"


def provenance(bundle: StudyBundle, events: Sequence[Event], method: Method, look: Look) -> tuple[str, str]:
    """A line on what made the report from what, and the command in it."""
    command, number = _report_command(bundle, method, look), counted(len(events), "event")
    made = f"Computed by dilemma-reviewer {__version__} from {number} ({_EVENTS})"
    return f"{made}, with this command: `{command}`", command


def _report_command(bundle: StudyBundle, method: Method, look: Look) -> str:
    by = f"--by {quote(','.join(look.by))}"
    return f"reviewer report {_study_names(bundle)} {by}{_look_options(look)} {_method_options(method)}"


def _study_names(bundle: StudyBundle) -> str:
    """The study, or those that are pooled, as options name them."""
    names = [part.study.name for part in bundle.parts] or [bundle.study.name]
    return "".join([names[0], *(f" --pool {other}" for other in names[1:])])


def _digest(events: Sequence[Event]) -> str:
    return digest_of([event.digest for event in events])


_JUDGE_TABLES = ("", " --by-label --by ''", " --reliability --by ''", " --replace", " --shares")


def agreement_command(bundle: StudyBundle, method: Method, look: Look) -> str:
    """The command that prints the report's tables of agreement; with --pass-rates those of pass rates."""
    by = quote(",".join(look.by))
    return f"agreement {_study_names(bundle)} --by {by} {_method_options(method)}"


def recompute_blocks(
    bundle: StudyBundle,
    events: Sequence[Event],
    method: Method,
    look: Look,
    judges: Sequence[JudgeResult],
    *,
    with_shares: bool = False,
) -> list[Block]:
    """Digest, seed and commands."""
    names = [part.study.name for part in bundle.parts] or [bundle.study.name]
    name = _study_names(bundle)
    of_judges = replace(method, coefficients=(), unweighted=False)  # which opinions do not have
    by = f" --by {quote(','.join(look.by))}"
    return [
        Section("How to compute this again"),
        Paragraph(
            f"dilemma-reviewer {__version__} made this report from {counted(len(events), 'event')} "
            f"({_EVENTS}). The same events and options give the same files, byte for byte. "
            f"{_seed_in_words(bundle, method)}The first command below writes the report, and "
            f"{_last(names)} the raw labels and their codebook.{_check_in_words(bundle)}"
        ),
        Facts(tuple((name, words(digest)) for name, digest in _digests(bundle, events))),
        Commands(
            (
                _report_command(bundle, method, look),
                f"reviewer {agreement_command(bundle, method, look)} --format csv",
                f"reviewer agreement {name}{by} --differences --level {method.level:g}",
                *(
                    f"reviewer judges {name}{table} {_method_options(of_judges)}{_rule(look)}"
                    for table in (_JUDGE_TABLES if judges else ())
                    if with_shares or "--shares" not in table
                ),
                *([f"reviewer store check --against {bundle.digest}"] if bundle.digest else []),
                *(f"reviewer export {each}{_rule(look)}" for each in names),
            )
        ),
    ]


def _last(names: Sequence[str]) -> str:
    return "the last one writes" if len(names) == 1 else f"the last {len(names)} write"


def _check_in_words(bundle: StudyBundle) -> str:
    """What the command for the digest of the study does; "" without one, as of pooled studies."""
    if not bundle.digest:
        return ""
    return " The command store check finds out whether a record of the study was lost or changed."


def _digests(bundle: StudyBundle, events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """Each digest with its name: other events, another store or another release would have others."""
    yield "SHA-256 of the events", _digest(events)
    if bundle.digest:
        yield "Digest of the study", bundle.digest
    for release in bundle.releases:
        yield f"Seal of release {release.name} {release.version}", release.seal


def _seed_in_words(bundle: StudyBundle, method: Method) -> str:
    seed = bundle.study.seed
    if method.interval != "bootstrap":
        return ""
    given = f"the seed {method.seed}"
    if method.seed is None:
        given = f"a seed derived from the study's seed, {seed}"
    return f"The bootstrap draws {method.resamples:,} resamples with {given}. "


def _method_options(method: Method) -> str:
    options = [f"--interval {method.interval}", f"--level {method.level:g}"]
    options += [f"--coefficient {key}" for key in method.coefficients]
    if method.interval == "bootstrap":
        options += [f"--resamples {method.resamples}"]
        options += [] if method.seed is None else [f"--seed {method.seed}"]
    options += [] if method.weights == "quadratic" else [f"--weights {method.weights}"]
    options += ["--unweighted"] if method.unweighted else []
    return " ".join(options)


def _look_options(look: Look) -> str:
    options = [f" --digits {look.digits}"] if look.digits != DIGITS else []
    options += [" --anonymous"] if look.anonymous else []
    options += [" --comments"] if look.anonymous and look.comments else []
    return "".join([*options, _rule(look)])


def _rule(look: Look) -> str:
    return "" if look.rule == "majority" else f" --rule {look.rule}"
