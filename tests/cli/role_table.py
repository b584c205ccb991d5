"""Who is shown what by which command, and when: written by hand from the rules, before the product was asked.

Each cell is for one role and one state of a study. ``owed``: this person, or for others some rater, still has
cases to answer. ``finished``: all raters have answered everything. ``closed``: the study was closed before a
rater had finished; a pack does not learn of that. Adjudicators have not decided the disputes in any of them.
The manual prints ``page_table``.
"""

from collections.abc import Mapping
from typing import NamedTuple

from tests.blinded_study import (
    COMMENT,
    FINDING,
    GENERATOR,
    JUDGES_RUN,
    OPINION,
    REPLY,
    STRATA,
    VERDICT,
    State,
)

STATES: tuple[State, ...] = ("owed", "finished", "closed")
PEOPLE: Mapping[str, str] = {
    "rater in a pack": "anna",
    "rater": "anna",
    "lead": "tom",
    "lead who rates": "anna",
    "adjudicator": "zoe",
    "anybody else": "maria",
}
"""Roles, and the name that plays each in the test."""

ALL, REFUSED, NEVER = "all", "refused", "–"
MARKS: Mapping[str, str] = {
    "generators": GENERATOR,
    "findings": FINDING,
    "opinions": OPINION,
    "answers": COMMENT,
    "outcomes": REPLY,
    "verdicts": VERDICT,
    "roles": "counted",
    "strata": STRATA,
}
"""What may be held back, and the text by which the test knows that it is shown."""

Cells = tuple[str, str, str]


class Row(NamedTuple):
    """What commands show or do, with a cell for each state by role, and the marks of ``all``."""

    what: str
    commands: Mapping[str, tuple[str, ...]]
    cells: Mapping[str, Cells]
    shows: tuple[str, ...] = ()


def _by_role(pack: Cells, rater: Cells, lead: Cells, both: Cells, others: Cells) -> dict[str, Cells]:
    return dict(zip(PEOPLE, (pack, rater, lead, both, others, others), strict=True))


_AFTER, _FREE, _NO = (REFUSED, ALL, ALL), (ALL, ALL, ALL), (REFUSED, REFUSED, REFUSED)
ABOUT_DATASETS = _by_role(_NO, _AFTER, _FREE, _AFTER, _FREE) | {"adjudicator": _NO}
_CITED = ("--licence", "CC0-1.0", "--author", "Tom Reed", "--contact", "tom@example.org")
_CASE = "without generators, findings, opinions"
_SAMPLE = "without generators, roles, strata"

ROWS: tuple[Row, ...] = (
    Row(
        "labels and numbers",
        {
            "labels": ("pilot",),
            "agreement": ("pilot", "--interval", "none"),
            "checklist": ("pilot",),
            "study check": ("pilot",),
            "report": ("pilot", "--no-figures", "--interval", "none"),
        },
        _by_role((REFUSED, ALL, REFUSED), _AFTER, _AFTER, _AFTER, _FREE),
    ),
    Row(
        "raw answers",
        {"export": ("pilot", "-o", "out")},
        _by_role(
            (REFUSED, "without answers, strata", REFUSED),
            *[(REFUSED, "without strata", ALL)] * 3,
            ("without strata", "without strata", ALL),
        )
        | {"adjudicator": _NO},
        ("answers", "strata"),
    ),
    Row(
        "sheets with answers",
        {"export --as": ("validation-csv", "-o", "out", "pilot")},
        _by_role(_FREE, _AFTER, _AFTER, _AFTER, _FREE),
    ),
    Row(
        "opinions against labels",
        {"judges": ("pilot",)},
        _by_role(_NO, *[_AFTER] * 4) | {"adjudicator": _NO},
    ),
    Row(
        "one case",
        {"show": ("CASE",)},
        _by_role((_CASE, "without generators", _CASE), (_CASE, ALL, ALL), _FREE, (_CASE, ALL, ALL), _FREE)
        | {"adjudicator": (_CASE, _CASE, "without generators")},
        ("generators", "findings", "opinions"),
    ),
    Row(
        "the list of cases",
        {"cases": ()},
        _by_role(
            ("without generators",) * 3,
            ("without generators", ALL, ALL),
            _FREE,
            ("without generators", ALL, ALL),
            _FREE,
        )
        | {"adjudicator": ("without generators",) * 3},
        ("generators",),
    ),
    Row(
        "the sample of a study",
        {"study show": ("pilot",)},
        _by_role(
            (_SAMPLE, "without generators, strata", _SAMPLE),
            (_SAMPLE, "without strata", ALL),
            _FREE,
            (_SAMPLE, "without strata", ALL),
            _FREE,
        )
        | {"adjudicator": ("without generators, strata",) * 3},
        ("generators", "roles", "strata"),
    ),
    Row(
        "findings",
        {
            "audit": ("pairs", "--workers", "1"),
            "check": ("pairs", "--workers", "1"),
            "candidates": ("pairs",),
            "datasets diff --findings": ("pairs", "pairs"),
            "datasets complaints list": ("pairs",),
            "study new --finding": ("same_result", "drawn", "--dataset", "pairs"),
        },
        ABOUT_DATASETS,
    ),
    Row(
        "sums by generator",
        {
            "effects --by": ("generator", "asked"),
            "diversity": ("pairs",),
        },
        _by_role(_NO, _AFTER, _FREE, _AFTER, _FREE) | {"adjudicator": _NO},
    ),
    Row(
        "a dataset as a file",
        {
            "datasets export": ("pairs", "-o", "pairs.jsonl"),
            "release make": (*("pairs", "--version", "1", "-o", "out", "--yes"), *_CITED),
        },
        ABOUT_DATASETS,
    ),
    Row(
        "revisions and notes",
        {
            "datasets history": ("pairs",),
            "datasets diff": ("pairs", "pair-0"),
            "datasets todo": ("pairs",),
            "datasets settle": ("pairs",),
            "study new --revised-since": ("2026-01-01", "drawn", "--dataset", "pairs"),
        },
        ABOUT_DATASETS,
    ),
    Row(
        "a draw by findings or values",
        {
            "study new": ("drawn", "--dataset", "pairs", "--total", "3", "--strata", STRATA),
            "study plan": ("--dataset", "pairs", "--total", "3", "--strata", STRATA, "--guess", "A=.9,B=.8"),
        },
        ABOUT_DATASETS,
    ),
    Row("answers of models, listed", {"outcomes list": ("asked",)}, ABOUT_DATASETS, ("outcomes",)),
    Row(
        "verdicts of judges, listed",
        {f"outcomes list {JUDGES_RUN}": ()},
        _by_role(_NO, *[_AFTER] * 4) | {"adjudicator": _NO},
        ("verdicts",),
    ),
    Row(
        "verdicts of judges",
        {f"outcomes read {JUDGES_RUN}": ()},
        _by_role(_NO, *[_AFTER] * 4) | {"adjudicator": _NO},
    ),
    Row(
        "answers of models",
        {
            "outcomes export": ("asked", "-o", "asked"),
            "outcomes cases": ("asked",),
            "outcomes read": ("asked",),
            "datasets hard": ("asked", "--model", "judge-1", "--into", "hard"),
            "effects --as": ("probe-swe", "-o", "out", "asked"),
            "library": ("pairs",),
        },
        ABOUT_DATASETS,
    ),
    Row(
        "closing",
        {"study close": ("pilot", "--anyway", "--as", "WHO")},
        _by_role(_NO, (REFUSED, ALL, NEVER), (ALL, ALL, NEVER), (ALL, ALL, NEVER), (ALL, ALL, NEVER)),
    ),
    Row(
        "opening again",
        {"study reopen": ("pilot", "--why", "to go on", "--as", "WHO")},
        _by_role(
            _NO, (NEVER, NEVER, REFUSED), (NEVER, NEVER, ALL), (NEVER, NEVER, REFUSED), (NEVER, NEVER, ALL)
        ),
    ),
    Row(
        "leaving a rater out",
        {"study exclude": ("pilot", "ben", "--why", "he wrote them", "--as", "WHO")},
        _by_role(_NO, _AFTER, _FREE, _FREE, _FREE),
    ),
    Row(
        "counting a rater again",
        {"study include": ("pilot", "ben", "--as", "WHO")},
        _by_role(_NO, _AFTER, _FREE, _FREE, _FREE),
    ),
    Row(
        "choosing coefficients",
        {"study coefficients": ("pilot", "ac1", "--as", "WHO")},
        _by_role(_NO, _AFTER, _FREE, _FREE, _FREE),
    ),
    Row("naming a lead", {"study lead": ("pilot", "fay", "--as", "WHO")}, _by_role(_NO, *[_FREE] * 4)),
    Row(
        "making a pack",
        {"study pack": ("pilot", "--rater", "ben", "-o", "ben.review")},
        _by_role(_NO, (REFUSED, ALL, NEVER), *[(ALL, ALL, NEVER)] * 3),
    ),
)

REFUSED_WHILE_OTHERS_OWE = ("judges", f"outcomes list {JUDGES_RUN}", f"outcomes read {JUDGES_RUN}")
"""Commands that somebody who has answered everything may not use while others owe answers.

They may use all others as if everybody had answered.
"""

SHOWS_NOTHING_HELD_BACK: Mapping[str, str] = {
    "adjudicate": "asks blinding before it opens, with tests of its own",
    "answers": "asks blinding, and needs a study of answers, with tests of its own",
    "progress": "shows counts; warnings, work and comments only to leads who owe nothing",
    "review": "shows each question as blinding cuts its panes",
    "serve": "opens the review of one rater in each window",
    "effects": "sums over cases; its options that show more have rows of their own",
    "funnel": "sums over candidates",
    "datasets": "sums over cases",
    "evaluate": "asks models, and prints counts",
    "judges ask": "asks models, and prints counts; raters who owe answers may not",
    "discover": "asks models, and prints counts",
    "generate": "asks models, and prints counts",
    "run": "asks models, and prints sums over cases; names no judges to raters who owe answers",
    "import": "takes in what the caller has",
    "outcomes import": "takes in what the caller has",
    "merge": "takes in what the caller has",
    "release list": "names releases",
    **dict.fromkeys(("release diff", "release verify"), "reads folders of the caller"),
    "datasets merge": "names cases that collide",
    "datasets describe": "shows no case",
    "datasets complaints import": "asks who may change cases, and takes in what the caller has",
    "claims check": "carries out commands that each ask who may see their numbers",
    **dict.fromkeys(("datasets revert", "datasets withdraw", "repair"), "asks who may change cases"),
    **dict.fromkeys(("study list", "study describe", "study profile"), "shows no case"),
    "study third": "prints how many cases each rater gets; blinding says what is on the lists",
    **dict.fromkeys(("study link", "study links"), "shows no case"),
    "study known": "shows how cases begin, as the list of cases does, and no answer",
    **dict.fromkeys(
        ("store backup", "store copy", "store check", "store grant"),
        "gives the file or checks it; who has the file can read all of it",
    ),
    **dict.fromkeys(
        (
            *("templates convert", "templates fill", "templates nulls", "templates reading"),
            *("templates scores", "templates shares", "templates show"),
        ),
        "reads files of the caller",
    ),
    **dict.fromkeys(
        ("protocol check", "protocol example", "protocol list", "protocol new", "protocol show"),
        "shows no case",
    ),
    **dict.fromkeys(
        ("cluster doctor", "cluster plan", "oracle doctor", "models calls", "models try"), "shows no case"
    ),
    **dict.fromkeys(("settings", "demo", "manual", "completion"), "shows nothing of a study"),
}
"""The other commands, each with the reason why no cell is needed."""


def page_table() -> str:
    """The table as the manual prints it: a line for each row, its cells in the order of the states."""
    head = ("commands", "what", *(role for role in PEOPLE))
    lines = [head, ("---",) * len(head)]
    for row in ROWS:
        names = ", ".join(f"`{name}`" for name in row.commands)
        lines.append((names, row.what, *(_in_short(row.cells[role]) for role in PEOPLE)))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _in_short(cells: Cells) -> str:
    return cells[0] if len({*cells}) == 1 else " / ".join(cells)
