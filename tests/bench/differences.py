"""How well the marked differences fit what a person marked, and how long a comparison takes.

Usage: python tests/bench/differences.py [--repeats 20]

Compares word by word (without cleaning up), the comparison that panes show, and diff-match-patch with its
semantic clean-up where that package is installed (it is no dependency). The pairs come from the shared data.
"""

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.prose_diff import diff_prose, diff_reworded  # noqa: E402
from reviewer.core.table import Table  # noqa: E402
from reviewer.core.text_diff import Change, TextDiff, at_boundaries, diff_texts, text_tokens  # noqa: E402
from reviewer.report.text_table import text_table  # noqa: E402
from tests.core.marked_differences import PANES, PUBLISHED, Fit, MarkedPair, fit_of, marked_pairs  # noqa: E402
from tests.shared_data import FOLDER  # noqa: E402

Compare = Callable[[str, str], TextDiff]
COLUMNS = ("comparison", "pane", "precision", "recall", "F1", "stretches", "by hand", "median", "longest")


def main() -> None:
    """Mark all pairs with each comparison, and print how well and how fast."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--repeats", type=int, default=20)
    repeats = options.parse_args().repeats
    published = FOLDER / PUBLISHED
    if not published.exists():
        print(f"The published pairs are not at {published}; nothing is measured.", file=sys.stderr)
        return
    pairs = marked_pairs(published)
    rows = [
        _row(name, pane, compare[pane], [pair for pair in pairs if pair.pane == pane], repeats)
        for name, compare in _comparisons()
        for pane in PANES
    ]
    print(text_table(Table.of(COLUMNS, rows)))


def _comparisons() -> Iterator[tuple[str, Mapping[str, Compare]]]:
    yield "word by word", dict.fromkeys(PANES, _word_by_word)
    yield "as shown", {"texts": _shown_texts, "reconstruction": _shown_reconstruction}
    try:
        import diff_match_patch
    except ImportError:
        print("diff-match-patch is not installed, so it is not compared.", file=sys.stderr)
        return
    library = diff_match_patch.diff_match_patch()
    yield "library, characters", dict.fromkeys(PANES, lambda a, b: _by_characters(library, a, b))
    yield "library, words", dict.fromkeys(PANES, lambda a, b: _by_words(library, a, b))


def _row(name: str, pane: str, compare: Compare, pairs: list[MarkedPair], repeats: int) -> tuple[str, ...]:
    fit: Fit = fit_of(compare, pairs)
    seconds = [_seconds(compare, pair) for pair in pairs for _ in range(repeats)]
    quality = (f"{fit.precision:.3f}", f"{fit.recall:.3f}", f"{fit.f1:.3f}")
    times = (f"{statistics.median(seconds) * 1000:.2f} ms", f"{max(seconds) * 1000:.2f} ms")
    return (name, pane, *quality, str(fit.stretches), str(fit.stretches_of_person), *times)


def _seconds(compare: Compare, pair: MarkedPair) -> float:
    started = time.perf_counter()
    compare(*pair.texts)
    return time.perf_counter() - started


def _word_by_word(left: str, right: str) -> TextDiff:
    return at_boundaries(diff_texts.__wrapped__(left, right))


def _shown_texts(left: str, right: str) -> TextDiff:
    return diff_prose.__wrapped__(left, right)


def _shown_reconstruction(left: str, right: str) -> TextDiff:
    return diff_reworded.__wrapped__(left, right)


def _by_characters(library: object, left: str, right: str) -> TextDiff:
    return _cleaned_up(library, left, right, str)


def _by_words(library: object, left: str, right: str) -> TextDiff:
    """Each word as one character, as the library's own line mode does with lines."""
    words = list(dict.fromkeys([*text_tokens(left), *text_tokens(right)]))
    characters = {word: chr(number) for number, word in enumerate(words, 1)}
    ours, theirs = ("".join(characters[word] for word in text_tokens(text)) for text in (left, right))
    return _cleaned_up(library, ours, theirs, lambda text: "".join(words[ord(sign) - 1] for sign in text))


def _cleaned_up(library: object, left: str, right: str, spelt: Callable[[str], str]) -> TextDiff:
    found = library.diff_main(left, right)  # type: ignore[attr-defined]
    library.diff_cleanupSemantic(found)  # type: ignore[attr-defined]
    changes = {
        -1: lambda text: Change(text, ""),
        0: lambda text: Change(text, text),
        1: lambda text: Change("", text),
    }
    return TextDiff(tuple(changes[kind](spelt(text)) for kind, text in found))


if __name__ == "__main__":
    main()
