"""The settings file: what it may say, what is said about what it may not, and keeping one choice."""

import os
from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.core.personal_settings import Settings, load_settings, remember, settings_path


def write(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_file_is_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path / "none.toml") == Settings()


def test_keys_may_be_dotted_quoted_or_tables(tmp_path: Path) -> None:
    for text in ('[keys]\nreview.skip = "k"', '[keys]\n"review.skip" = "k"', '[keys.review]\nskip = "k"'):
        assert load_settings(write(tmp_path, text)).keys == {"review.skip": "k"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = ", "is not valid TOML"),
        ('tehme = "nord"', "tehme: is not a setting; did you mean theme"),
        ('idle_seconds = "long"', "idle_seconds: should be a valid integer"),
        ("idle_seconds = 1", "idle_seconds: should be greater than or equal to 5"),
        ("[keys]\nreview.skip = 3", "keys.review.skip: should be a valid string"),
        ("keys = 3", "keys: should be a valid dictionary"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        load_settings(write(tmp_path, text))
    assert told in str(error.value)
    assert "settings.toml" in str(error.value)


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not UTF-8"):
        load_settings(path)


def test_one_choice_is_kept_and_comments_and_order_stay(tmp_path: Path) -> None:
    path = write(tmp_path, '# mine\ntheme   = "nord" # old\nidle_seconds = 30\n\n[keys]\ntheme.x = "k"\n')
    with pytest.raises(InputError):
        remember(path, "idle_seconds", "x")
    remember(path, "theme", "gruvbox")
    remember(path, "pace", False)
    assert path.read_text(encoding="utf-8") == (
        '# mine\ntheme   = "gruvbox" # old\nidle_seconds = 30\npace = false\n\n[keys]\ntheme.x = "k"\n'
    )


def test_comments_in_tables_and_line_ends_stay(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(b'# top\r\n\r\n[keys]  # mine\r\n# why\r\nreview.skip = "k" # because\r\n')
    remember(path, "theme", 'a "quoted" [name]\\')
    assert load_settings(path).theme == 'a "quoted" [name]\\'
    assert load_settings(path).keys == {"review.skip": "k"}
    lines = path.read_bytes().decode().split("\r\n")
    for line in ("# top", "[keys]  # mine", "# why", 'review.skip = "k" # because'):
        assert line in lines


def test_a_choice_makes_the_file_and_follows_a_link(tmp_path: Path) -> None:
    path = tmp_path / "new" / "settings.toml"
    remember(path, "theme", "nord")
    assert load_settings(path).theme == "nord"
    link = tmp_path / "link.toml"
    link.symlink_to(path)
    remember(link, "theme", "gruvbox")
    assert link.is_symlink()
    assert load_settings(path).theme == "gruvbox"
    with pytest.raises(InputError, match="not a regular file"):
        remember(tmp_path, "theme", "nord")
    assert sorted(file.name for file in path.parent.iterdir()) == ["settings.toml"]


def test_the_environment_names_another_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REVIEWER_SETTINGS", str(tmp_path / "mine.toml"))
    assert settings_path() == tmp_path / "mine.toml"
    monkeypatch.delenv("REVIEWER_SETTINGS")
    assert settings_path().name == "settings.toml"


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('theme = "nord"\n', encoding="utf-8-sig")
    assert load_settings(path).theme == "nord"
    remember(path, "pace", False)
    assert (load_settings(path).theme, load_settings(path).pace) == ("nord", False)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("theme = " + "[" * 5_000 + "]" * 5_000, "is not TOML that is read (it is nested too deeply)"),
        ("idle_seconds = " + "9" * 5_000, "is not valid TOML (Exceeds the limit"),
        ("idle_seconds = 1" + "0" * 30, "idle_seconds: should be less than or equal to 3600"),
        ("x" * 2_000_000, "has 2,000,000 bytes"),
    ],
)
def test_a_hostile_file_is_one_sentence(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        load_settings(write(tmp_path, text))
    assert told in str(error.value)
    assert len(str(error.value)) < 500


def test_what_would_never_end_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "fifo", tmp_path, Path("/dev/zero")):
        with pytest.raises(InputError, match="is not a regular file; name another with REVIEWER_SETTINGS"):
            load_settings(path)
    with pytest.raises(InputError, match="cannot be read"):
        load_settings(tmp_path / ("x" * 300))
    assert load_settings(Path(os.devnull)) == Settings()


def test_a_home_of_nobody_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REVIEWER_SETTINGS", "~nobody-of-this-name/settings.toml")
    with pytest.raises(InputError, match="names a home folder that does not exist"):
        settings_path()
