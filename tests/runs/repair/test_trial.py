"""A candidate content is run and checked beside the stored one, and nothing is written."""

import pytest

from reviewer.oracle.result import LoadMessage, SourceLine
from reviewer.protocols.repairs import ContentError
from reviewer.runs.repair.trial import (
    ContentRun,
    compare_texts,
    load_message_words,
    run_content,
    source_faults,
    try_content,
    warm_up,
)
from store.records import Case
from tests.encoders import WordCounts
from tests.prolog import need_prolog
from tests.studies import PROBE_SWE

REPAIRS = PROBE_SWE.repairs()
assert REPAIRS is not None
AXIOMS = (
    "suitable(Opt, R) :- capability(Opt, R).\nbest_practice(Opt) :- forall(requirement(R), suitable(Opt, R))."
)
FACTS = (
    ":- consult('axioms').\nrequirement(tests).\ncapability(option_B, tests).\n"
    "decide_option(user, option_B) :- best_practice(option_B).\n"
    "decide_option(user, option_A) :- \\+ best_practice(option_B)."
)


@pytest.fixture(scope="module")
def stored() -> ContentRun:
    need_prolog()
    warm_up()
    payload = {
        "unbiased": "Which one?\n- Option A: ship.\n- Option B: test.\nOption A or Option B?",
        "biased": "All ship.\nWhich one?\n- Option A: ship.\n- Option B: test.\nOption A or Option B?",
        "axioms": AXIOMS,
        "axioms_description": "Tested work is best.",
        "unbiased_prolog": FACTS,
        "biased_prolog": FACTS.replace("requirement", "teams(ten).\nrequirement"),
        "reconstructed_unbiased_prompt": "Ship or test?",
    }
    return run_content(PROBE_SWE, PROBE_SWE.case("bandwagon effect", payload))


def edited(stored: ContentRun, **texts: str) -> Case:
    return REPAIRS.edited(stored.case, texts)


def test_the_panes_give_the_content_back(stored: ContentRun) -> None:
    panes = REPAIRS.editor_panes(stored.case)
    texts = {pane.key: pane.text for pane in panes}
    assert [pane.kind for pane in panes] == ["prose", "prose", "program", "prose", "program", "program"]
    assert REPAIRS.edited(stored.case, texts) == stored.case
    assert try_content(PROBE_SWE, stored, stored.case).differences == ()


def test_an_edit_clears_what_a_model_rebuilt_from_the_pair(stored: ContentRun) -> None:
    assert edited(stored, unbiased="Other words.").payload["reconstructed_unbiased_prompt"] is None
    assert stored.case.payload["reconstructed_unbiased_prompt"] == "Ship or test?"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (" \n", "biased program: is empty; change it, or reset this pane."),
        ("a.\nb(\0).", "biased program, line 2: holds"),
        ("a" * 200_001, "biased program: has 200,001 characters"),
    ],
)
def test_a_text_that_no_case_can_have_is_named(stored: ContentRun, text: str, said: str) -> None:
    with pytest.raises(ContentError) as raised:
        edited(stored, biased_prolog=text)
    assert str(raised.value).startswith(said)
    assert raised.value.pane == "biased_prolog"


def test_a_decision_that_changes_is_seen_with_its_findings_and_clauses(stored: ContentRun) -> None:
    program = FACTS.replace("capability(option_B, tests).", "capability(option_A, tests).")
    trial = try_content(PROBE_SWE, stored, edited(stored, unbiased_prolog=program))
    assert [run.result.choice for run in trial.before.versions] == ["option_B", "option_B"]
    assert [run.result.choice for run in trial.after.versions] == ["option_A", "option_B"]
    assert "versions_disagree" in {finding.check for finding in trial.new}
    (difference,) = trial.differences
    assert difference.pane.key == "unbiased_prolog"
    changed = [change for change in difference.difference.changes if not change.equal]
    assert [(change.left, change.right) for change in changed] == [("option_B", "option_A")]
    assert trial.after.measured["versions"]["unbiased"]["choice"] == "option_A"
    assert trial.after.undecided == ()


def test_findings_that_are_gone_are_told_from_those_that_stay(stored: ContentRun) -> None:
    broken = try_content(PROBE_SWE, stored, edited(stored, axioms=f"{AXIOMS}\nalways(option_A)."))
    assert "option_in_axioms" in {finding.check for finding in broken.new}
    back = try_content(PROBE_SWE, broken.after, edited(stored, axioms=AXIOMS))
    assert "option_in_axioms" in {finding.check for finding in back.gone}
    stays = {old.check for old, _ in back.still_there}
    assert stays == {finding.check for finding in stored.failed}


def test_a_program_without_a_decision_is_said(stored: ContentRun) -> None:
    trial = try_content(PROBE_SWE, stored, edited(stored, biased_prolog="nothing."))
    (sentence,) = trial.after.undecided
    assert sentence.startswith("The biased program does not define decide_option/2")


def test_faults_of_the_parser_have_pane_and_line(stored: ContentRun) -> None:
    program = FACTS.replace("requirement(tests).", "requirement(tests)).")
    trial = try_content(PROBE_SWE, stored, edited(stored, biased_prolog=program))
    faults = source_faults(trial.after, REPAIRS.editor_panes(trial.after.case))
    (lost,) = [fault for fault in faults if fault.loses_clause]
    assert (lost.pane, lost.line) == ("biased_prolog", 2)
    assert lost.why == "cannot be read: cannot start term"


def test_a_clause_that_cannot_be_read_is_compared_by_its_words(stored: ContentRun) -> None:
    program = FACTS.replace("capability(option_B,", "capability(option_B")
    trial = try_content(PROBE_SWE, stored, edited(stored, unbiased_prolog=program))
    (changed,) = trial.differences
    apart = [(change.left, change.right) for change in changed.difference.changes if not change.equal]
    assert apart == [(",", "")]


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        ("singleton", "['User']", "User occurs only once"),
        ("singleton", "['User','_X']", "User, _X occur only once"),
        ("discontiguous", "price/2", "price/2 stands in several places"),
        ("refused_clause", "No permission", "refused clause: No permission"),
    ],
)
def test_messages_of_loading_are_sentences(kind: str, text: str, words: str) -> None:
    assert load_message_words(LoadMessage(kind, SourceLine("facts", 1), text)) == words


def test_texts_are_compared_apart_from_the_programs(stored: ContentRun) -> None:
    same = compare_texts(PROBE_SWE, edited(stored, biased=str(stored.case.payload["unbiased"])), WordCounts())
    assert same.values["pair_similarity"] == pytest.approx(1)
    assert "similarity_cosine" in {finding.check for finding in same.findings if not finding.passed}
