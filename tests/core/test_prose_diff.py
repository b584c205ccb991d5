"""Differences as a reader would mark them."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.prose_diff import changed_sentences, diff_prose, diff_reworded
from reviewer.core.text_diff import TextDiff
from tests.core.marked_differences import PUBLISHED, Fit, fit_of, marked_pairs
from tests.shared_data import shared_file

WORDS = st.sampled_from(
    ["we", "ship", "it", "now", ".", "?", ", ", " ", " ", "\n", "- Option A: ", "- Option B: "]
)
TEXTS = st.lists(WORDS, max_size=30).map("".join)


def shown(left: str, right: str) -> str:
    """Both texts woven together, changes in angle brackets."""
    changes = diff_prose(left, right).changes
    return "".join(c.left if c.equal else f"<{c.left}|{c.right}>" for c in changes)


def marked(left: str, right: str) -> tuple[list[str], list[str]]:
    """The marked words of both sides."""
    diff = diff_reworded(left, right)
    return [left[s.start : s.end] for s in diff.left_marks], [
        right[s.start : s.end] for s in diff.right_marks
    ]


def joined(diff: TextDiff) -> tuple[str, str]:
    return "".join(c.left for c in diff.changes), "".join(c.right for c in diff.changes)


@given(TEXTS, TEXTS)
def test_both_comparisons_give_both_texts_back(left: str, right: str) -> None:
    assert joined(diff_prose(left, right)) == joined(diff_reworded(left, right)) == (left, right)


@given(TEXTS, TEXTS)
def test_what_prose_leaves_unmarked_is_equal(left: str, right: str) -> None:
    assert all(change.left == change.right for change in diff_prose(left, right).changes if change.equal)
    assert not diff_prose(left, left).left_marks


def test_a_few_equal_words_between_two_changes_belong_to_the_change() -> None:
    before = "We talked for an hour with the team and then chose the old queue for the new service."
    after = "We talked for an hour with nobody and never chose any queue for the new service."
    assert shown(before, after) == (
        "We talked for an hour with <the team and then chose the old|nobody and never chose any> queue"
        " for the new service."
    )


def test_one_changed_word_stays_one_word() -> None:
    assert shown("We ship it on Friday evening.", "We ship it on Monday evening.") == (
        "We ship it on <Friday|Monday> evening."
    )


def test_an_added_clause_ends_with_its_own_words() -> None:
    plain = "We run it in off-peak hours."
    assert shown(plain, "We run it in off-peak hours, which takes only a few hours.") == (
        "We run it in off-peak hours<|, which takes only a few hours>."
    )
    assert shown("Ship the big fix.", "Ship the big, and so far untested, big fix.") == (
        "Ship the big<|, and so far untested, big> fix."
    )


def test_a_sentence_that_mostly_changed_is_one_change() -> None:
    before = "It is late. I want to know which of these services the team should use."
    after = "It is late. Everybody asked me which of these services is older, and why nobody has replaced it."
    assert shown(before, after) == (
        "It is late. <I want to know which of these services the team should use.|Everybody asked me which of"
        " these services is older, and why nobody has replaced it.>"
    )


def test_many_words_in_a_row_stay_apart_in_a_sentence_that_mostly_changed() -> None:
    same = "the queue that keeps its messages"
    before = f"After a long talk we chose {same} on every second disk of ours."
    after = f"Everybody praises {same}, which nobody here has tried for more than a week or two."
    assert f"> {same}<" in shown(before, after)


def test_an_option_is_compared_with_the_option_of_the_same_letter() -> None:
    before = "- Option A: Keep the old cache for all the services.\n- Option B: Drop it.\n"
    after = "- Option A: Drop it.\n- Option B: Keep the old cache for all the services.\n"
    assert shown(before, after) == (
        "- Option A: <Keep the old cache for all the services|Drop it>.\n"
        "- Option B: <Drop it|Keep the old cache for all the services>.\n"
    )


def test_a_label_aligns_whatever_it_is_called() -> None:
    before = "1. red green blue pink\n2. one two\n"
    after = "1. one two\n2. red green blue pink\n"
    assert shown(before, after) == "1. <red green blue pink|one two>\n2. <one two|red green blue pink>\n"


def test_lines_stay_lines() -> None:
    assert shown("a b\nc d\n", "e f\ng h\n") == "<a b|e f>\n<c d|g h>\n"


def test_texts_too_long_for_words_are_compared_by_lines() -> None:
    lines = [f"line {number} of many words in it" for number in range(1_500)]
    (mark,) = diff_prose("\n".join(lines), "\n".join([*lines[:700], "new", *lines[701:]])).right_marks
    assert mark.end - mark.start == len("new\n")


def test_of_a_reworded_text_only_content_words_are_marked() -> None:
    before = "We have to choose a queue that never loses an order.\n- Option A: Keep what we have.\n"
    after = "There is a queue to be chosen.\n- Option A: Keep what we have.\n"
    assert marked(before, after) == (["choose", "never loses", "order"], ["chosen"])


def test_how_a_question_asks_for_a_choice_is_no_difference() -> None:
    before = "I recommend the queue.\nWhich option would you suggest I choose? Option A or Option B?"
    after = "I take the queue.\nWhich option should I pick? Option A or Option B?"
    assert marked(before, after) == (["recommend"], ["take"])


def test_word_forms_and_the_order_of_words_are_no_difference_in_a_reworded_text() -> None:
    before, after = (
        "The updated dashboards are loading quickly.",
        "It loads quick, the dashboard that we update.",
    )
    assert marked(before, after) == ([], [])


def test_a_negation_is_content() -> None:
    assert marked("It doesn’t scale.", "It does scale.") == (["doesn’t"], [])
    assert marked("It is not safe.", "It is safe.") == (["not"], [])


def test_a_meaning_under_the_other_letter_is_marked_in_a_reworded_text() -> None:
    before = "- Option A: cheap\n- Option B: reliable\n"
    after = "- Option A: reliable\n- Option B: cheap\n"
    assert marked(before, after) == (["cheap", "reliable"], ["reliable", "cheap"])


def test_the_marks_are_those_that_a_person_set() -> None:
    pairs = marked_pairs(shared_file(PUBLISHED))
    texts = fit_of(diff_prose, [pair for pair in pairs if pair.pane == "texts"])
    rebuilt = fit_of(diff_reworded, [pair for pair in pairs if pair.pane == "reconstruction"])
    assert texts.f1 > 0.985, texts
    assert texts.stretches <= texts.stretches_of_person + 3, texts
    assert rebuilt.f1 > 0.8, rebuilt


def test_a_fit_counts_words() -> None:
    fit = Fit(both=6, only_compared=2, only_person=4, stretches=3, stretches_of_person=2)
    assert (fit.precision, fit.recall, round(fit.f1, 3)) == (0.75, 0.6, 0.667)


def test_sentence_that_is_only_added_to_is_shown_on_both_sides() -> None:
    left = "It is late.\n- Option A: Add it now.\n- Option B: Wait.\nWhich one?"
    right = "It is late.\n- Option A: Add it now, which is quick.\n- Option B: Wait.\nWhich one?"
    assert changed_sentences(left, right) == (
        "- Option A: Add it now.",
        "- Option A: Add it now, which is quick.",
    )
    assert changed_sentences(right, left) == (
        "- Option A: Add it now, which is quick.",
        "- Option A: Add it now.",
    )


def test_sentences_of_different_lines_stay_on_lines_of_their_own() -> None:
    left = "It is late.\n- Option A: Add it.\n- Option B: Wait. Rest.\nWhich one?"
    right = "It is late.\n- Option A: Add it now.\n- Option B: Wait long. Rest more.\nWhich one?"
    assert changed_sentences(left, right) == (
        "- Option A: Add it.\n- Option B: Wait. Rest.",
        "- Option A: Add it now.\n- Option B: Wait long. Rest more.",
    )


def test_new_sentence_has_no_partner_on_the_other_side() -> None:
    left = "It is late. Which one?"
    assert changed_sentences(left, "It is late. I like quick work. Which one?") == ("", "I like quick work.")


def test_unchanged_sentences_between_two_shown_ones_are_one_ellipsis() -> None:
    left = "We ship it. It is late. It rains. They wait."
    right = "We ship it soon. It is late. It rains. They wait long."
    assert changed_sentences(left, right) == (
        "We ship it. … They wait.",
        "We ship it soon. … They wait long.",
    )
