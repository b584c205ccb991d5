"""The hand-written corpus as text: what can be checked without running Prolog."""

import re
from pathlib import Path

import pytest

CORPUS = Path(__file__).resolve().parents[2] / "seeds" / "probe_swe"
FOLDERS = {
    "interest - confirmation_bias",
    "decision - hyperbolic_discounting",
    "pattern_recognition - availability_bias",
    "stability - anchoring_bias",
    "action-oriented - overconfidence_bias",
    "social - bandwagon_effect",
    "perception - framing_effect",
    "memory - hindsight_bias",
}
TEXTS = ("0-unbiased_task.txt", "1-biased_task.txt")
PROGRAMS = ("0-unbiased_task.pl", "1-biased_task.pl")
PAIRS = sorted(path.parent for path in CORPUS.glob("*/*/axioms.pl"))
FRAMING = "perception - framing_effect"

each_pair = pytest.mark.parametrize("pair", PAIRS, ids=lambda path: path.name)
each_text = pytest.mark.parametrize("text_name", TEXTS)


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_eight_groups_with_two_numbered_pairs_each() -> None:
    assert {path.name for path in CORPUS.iterdir() if path.is_dir()} == FOLDERS
    for folder in FOLDERS:
        names = sorted(path.name for path in (CORPUS / folder).iterdir() if path.is_dir())
        assert [name.partition("-")[0] for name in names] == ["1", "2"], folder


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_definition_is_one_or_two_sentences(folder: str) -> None:
    definition = read(CORPUS / folder / "definition.txt").strip()
    assert 1 <= len(re.findall(r"\.(?:\s|$)", definition)) <= 2
    assert 20 <= len(definition.split()) <= 60


@each_pair
def test_pair_has_exactly_its_six_files(pair: Path) -> None:
    assert {path.name for path in pair.iterdir()} == {*TEXTS, *PROGRAMS, "axioms.pl", "axioms.txt"}
    for path in pair.iterdir():
        assert read(path).endswith("\n"), path.name
        assert read(path).strip(), path.name


@each_pair
@each_text
def test_text_has_context_two_options_and_a_question(pair: Path, text_name: str) -> None:
    text = read(pair / text_name)
    assert 80 <= len(text.split()) <= 130
    bullets = [line[:11] for line in text.splitlines() if line.startswith("- ")]
    assert bullets == ["- Option A:", "- Option B:"]
    context, question = text.strip().splitlines()[0], text.strip().splitlines()[-1]
    assert re.search(r"\b(I|[Mm]y|[Ww]e|[Oo]ur)\b", context)
    assert question.endswith("?")
    assert "Which option" in question or question.endswith("appropriate (A) or inappropriate (B)?")


@each_pair
def test_nothing_in_a_pair_names_its_bias(pair: Path) -> None:
    name = pair.parent.name.partition(" - ")[2]
    for path in pair.iterdir():
        content = read(path).lower()
        assert "bias" not in content, path.name
        assert name not in content, path.name
        assert name.replace("_", " ") not in content, path.name


@each_pair
def test_biased_text_is_a_small_edit_towards_a_cue(pair: Path) -> None:
    unbiased, biased = (read(pair / name) for name in TEXTS)
    assert len(unbiased) < len(biased)
    unbiased_lines, biased_lines = unbiased.splitlines(), biased.splitlines()
    assert len(unbiased_lines) == len(biased_lines)
    pairs = enumerate(zip(unbiased_lines, biased_lines, strict=True))
    changed = [number for number, (before, after) in pairs if before != after]
    if pair.parent.name == FRAMING:
        assert changed == [2, 3]
        assert _numbers(unbiased) == _numbers(biased)
    else:
        assert changed == [0]
        assert biased.startswith(unbiased_lines[0])
        # The cue is inserted only, so this is the normalised edit similarity of the two texts.
        assert 0.70 <= len(unbiased) / len(biased) < 0.99


@each_pair
def test_biased_program_only_adds_facts_that_no_rule_reads(pair: Path) -> None:
    unbiased, biased = (read(pair / name).splitlines() for name in PROGRAMS)
    added = [line for line in biased if line not in unbiased]
    assert added
    assert [line for line in biased if line in unbiased] == unbiased
    decision = [line for line in unbiased if line.startswith((" ", "decide_option"))]
    rules = read(pair / "axioms.pl") + "\n".join(decision)
    for line in added:
        assert re.fullmatch(r"[a-z]\w*\(.+\)\.", line), line
        assert not re.search(rf"\b{line.partition('(')[0]}\(", rules), line


@each_pair
def test_axioms_are_generic_and_programs_consult_them(pair: Path) -> None:
    axioms = read(pair / "axioms.pl")
    assert not re.search(r"option_[ab]|decide_option|consult", axioms, re.IGNORECASE)
    assert "Best practice: " in read(pair / "axioms.txt").splitlines()[-1]
    for name in PROGRAMS:
        program = read(pair / name)
        assert program.startswith(":- consult('axioms').\n")
        assert "decide_option(user, " in program
        assert not re.search(r"decide_option\(user, option_[AB]\)", program)


def _numbers(text: str) -> list[str]:
    return sorted(re.findall(r"\d+", text))
