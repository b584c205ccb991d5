"""What the home screen says about datasets, and about a store that holds little yet."""

from textual.content import Content

from reviewer.tui.literal import literal
from store.cases import DatasetSummary


def nothing_yet(has_datasets: bool, keys: dict[str, str]) -> Content:
    """The empty home screen says what to do first."""
    if has_datasets:
        lines = [
            "No study yet",
            "",
            f"Press {keys['home.new-study']} to draw a sample from a dataset; then everybody labels it here.",
        ]
    else:
        lines = [
            "Nothing here yet",
            "",
            f"Press {keys['home.import']} to import a dataset: a published JSON file,",
            "or the folder of a seed corpus.",
            "",
            "Or leave, and try `reviewer demo` for a tour with hand-written cases.",
        ]
    return Content("\n").join([Content.styled(lines[0], "bold $foreground"), *map(literal, lines[1:])])


def dataset_lines(datasets: list[DatasetSummary]) -> Content:
    """One line a dataset."""
    if not datasets:
        return Content.styled("none yet", "$foreground 60%")
    width = max(len(one.dataset.name) for one in datasets)
    lines = [
        Content.assemble(
            literal(one.dataset.name.ljust(width)),
            literal(
                f"   {one.cases:,} cases in {one.groups} groups · {one.generated:,} generated, "
                f"{one.cases - one.generated:,} seeds · {', '.join(one.generators)}",
                "$foreground 60%",
            ),
        )
        for one in datasets
    ]
    return Content("\n").join(lines)
