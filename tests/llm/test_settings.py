"""Addresses, keys and the models file: what is accepted, and the sentence for what is not."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError, RequestError
from reviewer.llm.model_settings import Endpoint, Price
from reviewer.llm.models_file import read_models_file

KEYS = {"OPENAI_API_KEY": "sk-openai", "GROQ_API_KEY": "gsk-groq", "MINE": "mine"}


@pytest.mark.parametrize(
    ("url", "name", "key"),
    [
        ("https://api.openai.com/v1", None, "sk-openai"),
        ("https://api.groq.com/openai/v1/", None, "gsk-groq"),
        ("https://api.groq.com/openai/v1", "MINE", "mine"),
        ("http://localhost:11434/v1", None, None),
        ("https://api.openai.com.elsewhere.test/v1", None, None),
        ("http://[::1]:8000/v1", "MINE", "mine"),
    ],
)
def test_a_key_goes_only_where_it_belongs(url: str, name: str | None, key: str | None) -> None:
    endpoint = Endpoint.of(url, name, KEYS)
    assert endpoint.key == key
    assert key is None or key not in repr(endpoint)
    assert endpoint.url == url.rstrip("/")


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("api.openai.com/v1", "is not a web address"),
        ("ftp://host/v1", "is not a web address"),
        ("http://", "is not a web address"),
        ("http://host:x/v1", "is not a URL"),
        ("http://[::1/v1", "is not a URL"),
        ("https://user:secret@host/v1", "contains a user, password, query or fragment"),
        ("https://host/v1?key=secret", "contains a user, password, query or fragment"),
    ],
)
def test_addresses_that_are_none(url: str, says: str) -> None:
    with pytest.raises(RequestError, match=says) as caught:
        Endpoint.of(url, None, {})
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("value", ["", "  "])
def test_a_key_that_is_not_set(value: str) -> None:
    with pytest.raises(RequestError, match="environment variable OPENAI_API_KEY is not set"):
        Endpoint.of("https://api.openai.com/v1", None, {"OPENAI_API_KEY": value})


@pytest.mark.parametrize("value", ["sk-ä", "sk one", "sk\x00", "sk\nsecret"])
def test_a_key_that_was_copied_wrongly(value: str) -> None:
    with pytest.raises(RequestError, match="the key in MINE contains a character") as caught:
        Endpoint.of("https://host/v1", "MINE", {"MINE": value})
    assert value not in str(caught.value)


def test_a_models_file(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    file.write_text(
        'base_url = "http://localhost:8000/v1"\n[limits]\nconcurrency = 3\nbudget = 2.5\n'
        '[patience]\nattempts = 2\n[prices."m.1"]\nprompt = 0.15\ncompletion = 0.6\n'
    )
    models = read_models_file(file)
    assert (models.base_url, models.key_env) == ("http://localhost:8000/v1", None)
    assert (models.limits.concurrency, models.limits.budget, models.limits.calls) == (3, 2.5, None)
    assert (models.patience.attempts, models.patience.total) == (2, 600)
    assert models.prices == {"m.1": Price(prompt=0.15, completion=0.6)}
    assert models.prices["m.1"].of(1_000_000, 2_000_000) == pytest.approx(1.35)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("base_url = ", "is not valid TOML"),
        ("key = 'sk-secret'", "key: extra inputs are not permitted"),
        ("[limits]\nconcurrency = 0", r"limits\.concurrency: input should be greater than or equal to 1"),
        ("[limits]\nbudget = inf", r"limits\.budget: input should be a finite number"),
        ("[patience]\ntotal = 'sk-secret'", r"patience\.total: input should be a valid number"),
        ("[prices.m]\nprompt = 1", r"prices\.m\.completion: field required"),
        ("a = " + "[" * 5000, "is nested too deeply"),
    ],
)
def test_a_models_file_that_is_wrong(tmp_path: Path, content: str, says: str) -> None:
    file = tmp_path / "models.toml"
    file.write_text(content)
    with pytest.raises(InputError, match=says) as caught:
        read_models_file(file)
    assert "secret" not in str(caught.value)


def test_a_models_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not there"):
        read_models_file(tmp_path / "models.toml")
    with pytest.raises(InputError, match="is not a regular file"):
        read_models_file(tmp_path)
