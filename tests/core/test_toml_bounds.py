"""Bounds of TOML text: what is refused before it is parsed, and what is not."""

import time
import tomllib

import pytest

from reviewer.core.errors import InputError
from reviewer.core.source_text import toml_content

DOTS = ".".join("a" * 40)
FITS = {
    "dots in a text": f'a = "{DOTS}"',
    "dots in a literal text": f"a = '{DOTS}'",
    "dots in a comment": f"# {DOTS}\na = 1",
    "dots in a text of several lines": f'a = """\n{DOTS} " "" \\"""{DOTS}"""""\nb = 1',
    "dots in a literal text of several lines": f"a = '''\n{DOTS}''''\nb = 1",
    "dots in a quoted key": f"\"{DOTS}\".'{DOTS}'.c = 1",
    "an escaped quote": f'a = "\\"{DOTS}\\\\"\nb = 1',
    "brackets in a text": 'a = "' + "[" * 200 + '"',
    "numbers": f"a = [{'1.5, ' * 1000}]",
    "16 parts": ".".join("a" * 16) + " = 1",
    "tables one after another": "".join(f"[a.b{number}]\nc.d = [[1], {{e = 2}}]\n" for number in range(1000)),
}
REFUSED = {
    "a dotted key": ("b = 1\n" + "a." * 20_000 + "a = 1", "line 2 has a key of 20,001 parts; at most 16 are"),
    "quoted parts": ('"a" . ' * 20_000 + "'a' = 1", "line 1 has a key of 20,001 parts"),
    "a table": (f"[{'a.' * 20_000}a]", "line 1 has a key of 20,001 parts"),
    "a key behind a text": (f'a = """"{DOTS}"""""\n{DOTS} = 1', "line 2 has a key of 40 parts"),
    "a key in braces": (f"a = {{{DOTS} = 1}}", "line 1 has a key of 40 parts"),
    "lists": ("a = " + "[" * 100 + "]" * 100, "it is nested too deeply"),
    "tables in lists": ("a = " + "[{a = " * 100 + "1" + "}]" * 100, "it is nested too deeply"),
    "many lists": (f"a = [{'[],' * 300_000}]", "it has more than 250,000 keys and values"),
    "many keys": ("".join(f"a{number} = 1\n" for number in range(150_000)), "more than 250,000 keys"),
    "a long text": ("#" * 17_000_000, "it has 17,000,000 characters; at most"),
}
STRAYS = ('\\"""a', "'''a\\", '"', "'\"", "\"'''", "[", "a.", "#\n=", '"""')


@pytest.mark.parametrize("text", FITS.values(), ids=FITS)
def test_toml_within_bounds_is_read(text: str) -> None:
    assert toml_content(text, "file 'a'") == tomllib.loads(text)


@pytest.mark.parametrize(("text", "told"), REFUSED.values(), ids=REFUSED)
def test_toml_beyond_bounds_is_refused_before_it_is_parsed(
    text: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tomllib, "loads", None)
    with pytest.raises(InputError) as error:
        toml_content(text, "file 'a'")
    assert told in str(error.value)


@pytest.mark.parametrize("stray", STRAYS)
def test_bounds_are_found_in_time_that_grows_with_the_text(stray: str) -> None:
    began = time.process_time()
    with pytest.raises(InputError):
        toml_content(stray * 150_000, "file 'a'")
    assert time.process_time() - began < 3
