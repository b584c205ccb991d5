"""Nothing neutral knows one protocol: its words stand in its folder, or where a reason is given.

Names, strings, docstrings and comments of every module are searched.
"""

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORDS = re.compile(
    r"probe|dilemma|axiom|unbiased|option_a|prolog|bias"
    r"|judge[-_]?(?:pairs|bench)|mmlu|livebench|livecode|reward[-_ ]?(?:bench|model)|response_[ab]",
    re.IGNORECASE,
)
OWN = (
    "reviewer/protocols/probe_swe/",
    "reviewer/protocols/judge_pairs/",
    "reviewer/protocols/treatment_tests/",
    "reviewer/protocols/detail_levels/",
    "reviewer/oracle/",
    "store/migrations/",
)
"""Where these words belong: the protocols' folders, the oracle, and migrations, which never change."""
EVERYWHERE = {
    "dilemma-reviewer": "the package's name; the formats of packs, counts and studies begin with it",
    "SWI-Prolog": "what people install for protocols with logic, by its own name",
}
EXCEPTIONS = {
    ("reviewer/protocols/registry.py", "probe"): "the one place that lists the protocols of this release",
    ("reviewer/protocols/registry.py", "bias"): "the same",
    ("reviewer/protocols/registry.py", "judge-pairs"): "the same",
    (
        "reviewer/protocols/registry.py",
        "judge_pairs",
    ): "the one place that lists the protocols of this release",
    (
        "reviewer/protocols/registry.py",
        "judgepairs",
    ): "the one place that lists the protocols of this release",
    ("reviewer/cli/cluster/doctor.py", "prolog"): "a field of what workers say of themselves",
    ("reviewer/cluster/cluster_runner.py", "prolog"): "the same",
    ("reviewer/cluster/worker_checks.py", "prolog"): "the same",
    ("reviewer/cluster/worker_facts.py", "prolog"): "the same",
    ("reviewer/similarity/index_search.py", "probe"): "an attribute of faiss that has this name",
    ("reviewer/cli/cases.py", "bias"): "an example with a real group of the shipped cases",
    ("reviewer/cli/discover.py", "bias"): "what the command discovers, in its help",
    ("reviewer/cli/main.py", "bias"): "the same",
    ("reviewer/cli/effect_layout.py", "probe"): "an example with the name of a real layout",
    ("reviewer/cli/outcomes/import_.py", "probe"): "an example with the name of a real layout",
    ("reviewer/cli/outcomes/import_.py", "judge-bench"): "the same",
    ("reviewer/cli/templates/scores.py", "bias"): "a column of published files",
    ("reviewer/cli/show.py", "bias"): "an example with a real key of a published case",
}


def neutral_files() -> list[str]:
    found = [*(ROOT / "reviewer").rglob("*.py"), *(ROOT / "store").rglob("*.py")]
    paths = sorted(path.relative_to(ROOT).as_posix() for path in found)
    return [path for path in paths if not path.startswith(OWN)]


def own_words(source: str) -> Iterator[tuple[int, str]]:
    """Lines with a word of one protocol in a name, a string or a comment."""
    if not WORDS.search(source):
        return
    kept = {tokenize.NAME, tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", None)}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        text = token.string if token.type in kept else ""
        for phrase in EVERYWHERE:
            text = text.replace(phrase, "")
        for word in WORDS.findall(text):
            yield token.start[0], word.casefold()


def test_no_neutral_module_has_words_of_one_protocol() -> None:
    files = neutral_files()
    assert len(files) > 500
    assert [
        (path, line, word)
        for path in files
        for line, word in own_words((ROOT / path).read_text(encoding="utf-8"))
        if (path, word) not in EXCEPTIONS
    ] == []


@pytest.mark.parametrize(("path", "word"), EXCEPTIONS)
def test_every_exception_is_needed(path: str, word: str) -> None:
    assert word in {found for _, found in own_words((ROOT / path).read_text(encoding="utf-8"))}


@pytest.mark.parametrize(
    "source",
    [
        "def ask_probe(): ...",
        "x.biased = 1",
        "'one dilemma'",
        '"""Axioms."""',
        "f(OPTION_A=1)",
        "# in Prolog",
    ],
)
def test_a_word_is_seen_in_names_strings_and_comments(source: str) -> None:
    assert list(own_words(source))
