"""Which cases are exchanged so that each option is right equally often."""

from reviewer.runs.repair.balance import balanced_groups
from store.records import Case, Membership
from store.revisions import PlaceHistory, PlaceNow
from tests.studies import BIASES, a_case

Right = dict[str, int | None]


def places(counts: dict[str, tuple[int, int]]) -> tuple[list[PlaceNow], Right]:
    """Places of groups with so many cases for which the first and the second option are right."""
    found: list[PlaceNow] = []
    right: Right = {}
    case: Case = a_case()
    for group, (first, second) in counts.items():
        of_group = case.model_copy(update={"group": group})
        for number in range(first + second):
            key = f"{group}/{number}"
            right[key] = int(number >= first)
            place = Membership(
                dataset="d", key=key, case=case.digest, position=len(found), generator="m", origin="seed"
            )
            found.append(PlaceNow(place, of_group, PlaceHistory("d", key, ())))
    return found, right


def test_groups_and_the_whole_are_as_even_as_the_counts_allow() -> None:
    counts = {
        BIASES[0]: (55, 48),
        BIASES[1]: (60, 40),
        BIASES[2]: (7, 94),
        BIASES[3]: (0, 3),
        BIASES[4]: (1, 1),
    }
    groups = balanced_groups(*places(counts), seed=1)
    assert all(abs(a - b) == sum(counts[group.group]) % 2 for group in groups for a, b in [group.target])
    first, second = (sum(group.target[option] for group in groups) for option in (0, 1))
    assert (first, second) == (155, 154)
    for group in groups:
        too_often = 0 if group.now[0] > group.target[0] else 1
        assert group.needed == group.now[too_often] - group.target[too_often]
        assert len(group.surplus) == group.now[too_often]


def test_the_choice_depends_on_the_seed_and_goes_on_after_an_interruption() -> None:
    found, right = places({BIASES[0]: (10, 1)})
    (one,) = balanced_groups(found, right, seed=1)
    (other,) = balanced_groups(found, right, seed=2)
    assert one.surplus != other.surplus
    chosen = one.surplus[: one.needed]
    half = right | {now.place.key: 1 for now in chosen[:2]}
    (rest,) = balanced_groups(found, half, seed=1)
    assert rest.surplus[: rest.needed] == chosen[2:]


def test_cases_without_a_decision_are_counted_for_no_option() -> None:
    found, right = places({BIASES[0]: (4, 0)})
    right[found[0].place.key] = None
    (group,) = balanced_groups(found, right, seed=0)
    assert (group.now, group.target, len(group.undecided)) == ((3, 0), (2, 1), 1)
