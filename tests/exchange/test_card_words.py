"""Facts that could make sentences of a card false: with each, the card states that fact and not the rest."""

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from reviewer.core.estimate import Estimate, Interval
from reviewer.exchange.releases.release_content import (
    AuditFacts,
    DatasetCheckFacts,
    FindingCases,
    GuessFacts,
    OpinionFacts,
    ReleaseContent,
    ReleaseOptions,
    ReportFacts,
)
from reviewer.exchange.releases.release_folder import ReleaseFile
from reviewer.exchange.releases.release_making import plan_release
from reviewer.exchange.releases.release_pages import release_pages
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_creation import Design, create_study
from store.records import Citation
from tests.judged import RATERS, judge
from tests.studies import BIASES, a_case, fill, open_store

CITATION = Citation(dataset="first", licence="CC-BY-4.0", authors=["A. Author"], contact="a@example.org")
AUDIT = AuditFacts(
    contents=6,
    audited=6,
    earlier=0,
    audit_clean=4,
    strictly_clean=3,
    not_tested=0,
    engines=("swipl 9.0.4",),
    findings=(),
    checks={"hard_coded": "The decision is stated."},
)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> ReleaseContent:
    """A release of 6 cases that three raters judged on two questions, with an audit."""
    with closing(open_store(tmp_path_factory.mktemp("card"))) as database:
        fill(database, "first", [a_case(number, BIASES[number % 2]) for number in range(6)])
        design = replace(Design(("first",), None, 7), questions=("same_task", "bias_presence"))
        create_study(database, "pilot", design)
        for rater in RATERS:
            judge(database, "pilot", rater)
        close_study(database, "pilot", "lena")
        made = plan_release(database, CITATION, "1.0", ReleaseOptions()).content
    return made.model_copy(update={"audit": AUDIT})


def audited(**numbers: Any) -> Callable[[ReleaseContent], ReleaseContent]:
    return lambda content: content.model_copy(update={"audit": AUDIT.model_copy(update=numbers)})


def studied(**numbers: Any) -> Callable[[ReleaseContent], ReleaseContent]:
    def changed(content: ReleaseContent) -> ReleaseContent:
        (study,) = content.studies
        return content.model_copy(update={"studies": (study.model_copy(update=numbers),)})

    return changed


def asked(*passing: tuple[str, ...], **numbers: Any) -> Callable[[ReleaseContent], ReleaseContent]:
    """The questions with these passing labels, and the study with these numbers."""

    def changed(content: ReleaseContent) -> ReleaseContent:
        (study,) = content.studies
        questions = tuple(
            question.model_copy(update={"passing": labels})
            for question, labels in zip(study.questions, passing, strict=True)
        )
        return studied(questions=questions, **numbers)(content)

    return changed


def selected(content: ReleaseContent) -> ReleaseContent:
    return content.model_copy(update={"options": ReleaseOptions(passed=("pilot",))})


def both(
    one: Callable[[ReleaseContent], ReleaseContent], other: Callable[[ReleaseContent], ReleaseContent]
) -> Callable[[ReleaseContent], ReleaseContent]:
    return lambda content: other(one(content))


def with_check(result: str) -> Callable[[ReleaseContent], ReleaseContent]:
    found = DatasetCheckFacts(check="share", result=result, says="The first answer is right in 80%.")
    return lambda content: content.model_copy(update={"dataset_checks": (found,)})


def reported(became: str, **more: str) -> Callable[[ReleaseContent], ReleaseContent]:
    fields = {"version": "1.0", "key": "k", "date": "2026-03-02", "became": became, **more}
    report = ReportFacts.model_validate(fields)
    return lambda content: content.model_copy(update={"reports": (report,)})


def lacking(fewest: int = 3, **numbers: Any) -> Callable[[ReleaseContent], ReleaseContent]:
    """The first question with these numbers."""

    def changed(content: ReleaseContent) -> ReleaseContent:
        (study,) = content.studies
        first, *others = study.questions
        return studied(questions=(first.model_copy(update=numbers), *others), fewest=fewest)(content)

    return changed


def known(value: float) -> Estimate:
    return Estimate(value, 40, interval=Interval(value - 0.1, value + 0.1, 0.95, "bootstrap"))


def opinion(share: float | None) -> OpinionFacts:
    agreement = Estimate.undefined("no final label", 0) if share is None else Estimate(share, 24)
    return OpinionFacts(opinion="right option", question="same task", agreement=agreement)


GUESS = {"random guesses": 0.5, "always first": 0.0}


def guessed(
    values: Mapping[str, float | None], cases: int = 6, best: float | None = None
) -> Callable[[ReleaseContent], ReleaseContent]:
    fact = GuessFacts(measure="net effect", meaning="How often.", cases=cases, values=dict(values), best=best)
    return lambda content: content.model_copy(update={"guessing": (fact,)})


class Fact(NamedTuple):
    """What is so in a release: words that its pages then have, and words that would be false."""

    change: Callable[[ReleaseContent], ReleaseContent]
    said: tuple[str, ...] = ()
    unsaid: tuple[str, ...] = ()


TRUE, NONE = ("True",), ()
FACTS = {
    "everything was audited": Fact(
        audited(),
        (
            "6 of 6 cases were audited by the checks of this version of the program, with swipl 9.0.4. 4 are "
            "audit-clean: every check could run on them, and no serious finding stands. 3 of these are "
            "strictly clean: no doubtful finding stands either.",
            "No finding about a single case stands.",
        ),
        ("of the audited cases", "every check and program ran"),
    ),
    "cases have programs": Fact(
        lambda content: content.model_copy(update={"decisions": {"k": {"unbiased": "option_A"}}}),
        ("every check and program ran on them",),
    ),
    "no case is clean": Fact(
        audited(audit_clean=0, strictly_clean=0), ("0 are audit-clean",), ("strictly clean:", "of these")
    ),
    "one case is clean": Fact(
        audited(audit_clean=1, strictly_clean=1), ("1 is audit-clean", "1 of these is strictly clean")
    ),
    "an earlier version of the checks audited": Fact(
        audited(audited=0, earlier=6, audit_clean=0, strictly_clean=0),
        ("None of 6 cases was audited by the checks of this version",),
        ("audit-clean", "The cases were not audited."),
    ),
    "nothing was audited": Fact(
        audited(audited=0, audit_clean=0, strictly_clean=0),
        ("The cases were not audited.",),
        ("audit-clean", "No finding"),
    ),
    "some cases were not audited": Fact(
        audited(audited=5), ("No finding about a single case of the audited cases stands.",)
    ),
    "a check could not run": Fact(
        audited(not_tested=2), ("and 2 cases could not be tested by every check",), ("case stands.",)
    ),
    "a finding stands": Fact(
        audited(findings=(FindingCases(check="hard_coded", severity="serious", cases=2),)),
        ("| hard coded | serious | 2 |",),
        ("No finding",),
    ),
    "all cases together have a finding": Fact(
        with_check("serious"), ("but at least one about all cases together does.",), ("case stands.",)
    ),
    "that finding was dismissed": Fact(
        with_check("dismissed"), ("case stands.",), ("at least one about all",)
    ),
    "equal cases were audited once": Fact(audited(contents=5), ("Cases with equal content count once.",)),
    "all questions can decide": Fact(
        both(selected, asked(TRUE, TRUE)),
        ("Every case here passed every question of pilot. Only", "passed every question, "),
        ("that can decide",),
    ),
    "one question decides nothing": Fact(
        both(selected, asked(TRUE, NONE, not_reviewed=1)),
        (
            "Every case here passed every question of pilot that can decide; no answer lets a case pass bias "
            "presence of pilot.",
            "passed every question that can decide, ",
            "1 case got no label on a question that can decide.",
        ),
    ),
    "no question decides anything": Fact(
        asked(NONE, NONE, passed=0, failed=0, undecided=0, not_reviewed=6),
        ("No answer to its questions lets a case pass, so none passed or failed.",),
        ("got no label", "passed every question", "A case passes a question"),
    ),
    "several labels pass": Fact(
        asked(("True", "False"), TRUE),
        ("Where several answers pass, different ones are not added up.",),
        ("gave a label that passes",),
    ),
    "one case was left undecided": Fact(studied(undecided=1), ("and 1 was left undecided.",)),
    "every case has a label": Fact(studied(not_reviewed=0), (), ("got no label",)),
    "there is no study": Fact(
        lambda content: content.model_copy(update={"studies": ()}),
        ("No closed study of this dataset is stated here.", "No expert labels count"),
        ("A case passes a question", "95% intervals", '"Pass by majority"'),
    ),
    "guessing reaches the best value": Fact(
        guessed(GUESS, best=0.0),
        (
            "Such answers reach the best value of net effect, so a good value of it alone proves little.",
            "| net effect | .50 | .00 | How often. |",
            "values were computed from the data files alone, under",
        ),
        ("that a measure can judge",),
    ),
    "guessing reaches no best value": Fact(
        guessed({"random guesses": 0.5, "always first": 0.25}, best=0.0), (), ("reach the best value",)
    ),
    "the measure has no best value": Fact(guessed(GUESS), (), ("reach the best value",)),
    "not every case can be judged": Fact(
        guessed(GUESS, cases=4), ("alone, over the 4 of 6 cases that a measure can judge, under",)
    ),
    "no case can be judged": Fact(
        guessed(dict.fromkeys(GUESS), cases=0, best=0.0),
        ("| net effect | none | none |",),
        ("reach the best",),
    ),
    "the benchmark has no measures": Fact(
        lambda content: content.model_copy(update={"guessing": ()}), (), ("without reading",)
    ),
    "the study could be stopped": Fact(
        studied(stopped=("more than 90% of all cases pass", "same task 80% to 99% of all 6 cases")),
        (
            "Study pilot could be stopped by looking, as soon as it may be claimed that more than 90% of all "
            "cases pass. The intervals of its pass rates above, marked with †, are not valid for such",
            "(confidence sequence): same task 80% to 99% of all 6 cases.",
        ),
    ),
    "the study could not be stopped": Fact(
        studied(stopped=()),
        ("studies that could be stopped by looking",),
        ("†", "Study pilot could be stopped"),
    ),
    "no case was audited, so nothing was looked for": Fact(
        audited(audited=0, audit_clean=0, strictly_clean=0),
        ("6 cases of 6 were not audited.",),
        ("findings that stand;", "checks that could not run;", "findings about all cases together"),
    ),
    "checks were looked at": Fact(
        both(audited(), with_check("passed")),
        ("checks that could not run; findings that stand; findings about all cases together;",),
    ),
    "the study has no label": Fact(
        studied(labels=0, fewest=0, most=0, not_reviewed=6),
        ("No expert labels count for the released contents.",),
        (
            "cases without expert labels;",
            "raters whose answers make one doubt",
            "Some cases of study",
            "has labels on all",
        ),
    ),
    "a case has no label": Fact(
        asked(TRUE, TRUE, fewest=0, not_reviewed=1, labels=30),
        ("Some cases of study pilot have no label.",),
        ("cases without expert labels;", "expert labels count"),
    ),
    "a question lacks labels, and a case all of them": Fact(
        lacking(labels_given=5, fewest=0),
        (
            "In study pilot, some raters did not answer same task on every case: it has 5 labels on 6 cases.",
            "Some cases of study pilot have no label.",
        ),
        ("questions that raters left open;",),
    ),
    "the study has some of the released cases": Fact(
        studied(cases=4, released=4),
        ("No study has labels on all released cases: the largest has 4 of the 6 in its sample.",),
        ("Experts reviewed a sample", "the intervals given above", "without expert labels;"),
    ),
    "every case has labels": Fact(studied(), ("cases without expert labels;",), ("No study has labels on",)),
    "no interval is shown": Fact(
        studied(),
        ("Study pilot has 6 cases; with fewer than 10, no interval is shown.",),
        ("agreement whose interval begins below .40;",),
    ),
    "agreement is high": Fact(
        both(lacking(kappa=known(0.8)), studied(cases=40)), ("agreement whose interval begins below .40;",)
    ),
    "agreement is low": Fact(
        lacking(kappa=known(0.3)),
        ("the interval of Fleiss' kappa begins below .40: same task (.20).",),
        ("agreement whose interval begins below .40;",),
    ),
    "the whole interval is low": Fact(
        lacking(kappa=known(0.2)),
        ("the whole interval of Fleiss' kappa lies below .40, and ends at: same task (.30).",),
        ("kappa begins below",),
    ),
    "one question is asked about few cases": Fact(
        both(lacking(items=9), studied(cases=40)),
        (
            "In study pilot, these questions are about fewer than 10 cases, so they have no interval: same "
            "task (9) and bias presence (6).",
        ),
        ("than an interval needs;", "Study pilot has 40 cases; with"),
    ),
    "nothing published can be compared": Fact(
        studied(opinions=()), (), ("published values that experts contradict;",)
    ),
    "experts confirm a published value": Fact(
        studied(opinions=(opinion(0.8),)), ("published values that experts contradict;",)
    ),
    "experts contradict a published value": Fact(
        studied(opinions=(opinion(0.7), opinion(None))),
        ("the published right option agrees with the experts' final label of same task on a share of .70",),
        ("published values that experts contradict;",),
    ),
    "no published value has a share": Fact(
        studied(opinions=(opinion(None),)),
        (),
        ("published values that experts contradict", "right option agrees"),
    ),
    "the cases are those of a list": Fact(
        studied(listed=True),
        ("The cases of study pilot are those of a list; its numbers do not carry over to other cases.",),
        ("cases that were not drawn at random;", "were picked"),
    ),
    "the cases were picked": Fact(
        studied(picked=True),
        ("The cases of study pilot were picked for findings or repairs;",),
        ("not drawn at random;", "are those of a list"),
    ),
    "the cases were drawn": Fact(studied(), ("cases that were not drawn at random;",)),
    "one judged case is not released": Fact(
        studied(cases=7),
        ("1 case of study pilot is not in this release as judged: left out, changed, or of another",),
        ("after the labels were given",),
    ),
    "items are open": Fact(
        studied(open=2),
        ("2 items (one question about one case) have labels of which none has more than half.",),
        ("labelled items without a final label;",),
    ),
    "no item is open, though one has no label": Fact(
        studied(open=0, fewest=0), ("labelled items without a final label;",), ("; items without a final",)
    ),
    "raters were hasty": Fact(
        studied(warned={"speed": 1}),
        ("1 of 3 raters answered most cases faster than people read.",),
        ("raters whose answers make one doubt",),
    ),
    "no rater was warned of": Fact(
        studied(warned={}),
        ("raters whose answers make one doubt their care, where times or known answers tell;",),
    ),
    "a report is open": Fact(
        reported("open"),
        ("reported by a reader on 2026-03-02; still open", "Readers reported something about 1 case"),
    ),
    "a report led to a repair": Fact(
        reported("repair", since="2026-03-04"),
        ("; repaired on 2026-03-04",),
        ("still open", "Readers reported something", "before that"),
    ),
    "the case was withdrawn before the report": Fact(
        reported("withdrawal", since="2026-03-01"), ("; withdrawn before that, on 2026-03-01",)
    ),
    "a report was dismissed": Fact(
        reported("dismissed", since="2026-03-04", reason="as planned"),
        ("; dismissed on 2026-03-04; reason: as planned",),
        ("Readers reported something",),
    ),
}


@pytest.mark.parametrize("fact", FACTS)
def test_no_sentence_is_false_whatever_is_so(content: ReleaseContent, fact: str) -> None:
    change, said, unsaid = FACTS[fact]
    pages = release_pages(change(content), {ReleaseFile.ROWS: b"", ReleaseFile.OWN: b""})
    text = (pages[ReleaseFile.CARD] + pages[ReleaseFile.CHANGELOG]).replace("\\", "")
    assert [words for words in said if words not in text] == []
    assert [words for words in unsaid if words in text] == []
