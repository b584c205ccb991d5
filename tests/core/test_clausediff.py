"""Programs compared clause by clause."""

from hypothesis import given
from hypothesis import strategies as st

from reviewer.core.clause_diff import ClauseSpan, diff_clauses
from reviewer.core.text_diff import Span, TextDiff


def clauses(*sources: tuple[str, str]) -> tuple[str, tuple[ClauseSpan, ...]]:
    """A program of clauses given as source and shape, one a line, with the place of each."""
    text, found = "", []
    for source, shape in sources:
        found.append(ClauseSpan(len(text), len(text) + len(source), shape))
        text += f"{source}\n"
    return text, tuple(found)


def compared(left: tuple[str, tuple[ClauseSpan, ...]], right: tuple[str, tuple[ClauseSpan, ...]]) -> TextDiff:
    return diff_clauses(*left, *right)


def marked(text: str, spans: tuple[Span, ...]) -> list[str]:
    return [text[span.start : span.end] for span in spans]


def test_names_of_variables_and_order_do_not_count() -> None:
    rule = ("good(X) :- tested(X).", "good(A):-tested(A)")
    renamed = ("good(Option):-  tested(Option).", "good(A):-tested(A)")
    diff = compared(
        clauses(rule, ("a.", "a"), ("b.", "b")), clauses(("b.", "b"), renamed, ("a.", "a"), ("new.", "new"))
    )
    assert diff.left_marks == ()
    (mark,) = diff.right_marks
    assert "".join(change.right for change in diff.changes)[mark.start : mark.end] == "new.\n"


def test_a_clause_that_stands_twice_on_one_side_is_there_once_more() -> None:
    once, twice = clauses(("a.", "a")), clauses(("a.", "a"), ("b.", "b"), ("a.", "a"))
    assert "".join(marked(twice[0], compared(once, twice).right_marks)) == "b.\na.\n"


def test_a_clause_on_the_same_subject_is_compared_by_words() -> None:
    left, right = clauses(("cost(a, 3).", "cost(a,3)")), clauses(("cost(a, 40).", "cost(a,40)"))
    diff = compared(left, right)
    assert marked(left[0], diff.left_marks) == ["3"]
    assert marked(right[0], diff.right_marks) == ["40"]


def test_remarks_are_not_hidden() -> None:
    text, found = clauses(("a.", "a"))
    diff = diff_clauses(text, found, f"% ten teams do\n{text}", (ClauseSpan(15, 17, "a"),))
    assert marked(f"% ten teams do\n{text}", diff.right_marks) == ["% ten teams do\n"]


SHAPES = st.lists(st.sampled_from(["p(a)", "p(b)", "q", "r(X)"]), max_size=6)
GAPS = st.sampled_from(["\n", " ", "\n\n", " % why\n", "\n  "])


@given(SHAPES, SHAPES, GAPS)
def test_the_changes_give_back_both_programs_and_mark_only_what_is_not_shared(
    ours: list[str], theirs: list[str], gap: str
) -> None:
    left, right = [_program(shapes, gap) for shapes in (ours, theirs)]
    diff = compared(left, right)
    assert "".join(change.left for change in diff.changes) == left[0]
    assert "".join(change.right for change in diff.changes) == right[0]
    if sorted(ours) == sorted(theirs):
        assert diff.left_marks == diff.right_marks == ()
    assert bool(diff.left_marks or diff.right_marks) == (sorted(ours) != sorted(theirs))


def _program(shapes: list[str], gap: str) -> tuple[str, tuple[ClauseSpan, ...]]:
    text, found = "", []
    for shape in shapes:
        found.append(ClauseSpan(len(text), len(text) + len(shape) + 1, shape))
        text += f"{shape}.{gap}"
    return text, tuple(found)
