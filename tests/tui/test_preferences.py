"""Keys and themes of one's own: every action can be given other keys, and no two ever share one unseen."""

from pathlib import Path

import pytest

from reviewer.core.errors import InputError
from reviewer.core.personal_settings import Settings
from reviewer.tui.app import ReviewerApp
from reviewer.tui.dialogs.key_sheet import KeySheet
from reviewer.tui.keys import preferences as preferences_module
from reviewer.tui.keys.actions import catalogue, nodes
from reviewer.tui.keys.preferences import THEMES, effective_keys, load_preferences
from reviewer.tui.widgets.key_hints import keys_by_id
from store.database import Database
from tests.tui.conftest import WIDE, press, put_card_away, saved, seen, settle


def preferences(folder: Path, text: str) -> Settings:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return load_preferences(path)


def keys(folder: Path, text: str) -> Settings:
    return preferences(folder, f"[keys]\n{text}\n")


def test_every_action_has_an_id_a_label_and_a_sentence() -> None:
    actions = catalogue().actions
    assert {"review.skip", "home.import", "app.quit", "pane.up", "writing.save"} <= actions.keys()
    for action in actions.values():
        assert action.label, action.id
        assert action.description, action.id
        assert action.keys, action.id


def test_no_binding_of_ours_is_without_an_id() -> None:
    for node in nodes():
        for binding in node.__dict__.get("BINDINGS", ()):
            assert binding.system or (binding.id and binding.description and binding.tooltip), (node, binding)


def test_out_of_the_box_no_screen_gives_one_key_to_two_actions() -> None:
    """Answers have keys by the question; the key that saves a choice goes on where nothing is chosen."""
    actions = catalogue().actions
    for ids in catalogue().screens:
        owners: dict[str, str] = {}
        for name in ids - {"review.answer-save"}:
            owner = "answers" if name.startswith("review.answer-") else name
            for key in actions[name].keys:
                assert owners.setdefault(key, owner) == owner, (key, name, owners[key])


def test_keys_are_changed_swapped_and_given_by_their_sign(tmp_path: Path) -> None:
    changed = keys(tmp_path, 'review.skip = "x, ctrl+k"\nreview.flag = "s"\nreview.keys = "!"').keys
    effective = effective_keys(changed)
    assert effective["review.skip"] == ("x", "ctrl+k")
    assert effective["review.flag"] == ("s",)
    assert effective["review.keys"] == ("exclamation_mark",)
    assert effective["review.comment"] == ("c",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('review.skpi = "k"', "keys.review.skpi: this action does not exist; did you mean review.skip"),
        ('review.skip = "x"', "'x' would be the key of both review.skip and review.flag"),
        ('review.skip = "t"', "'t' would be the key of both review.skip and review.answer-1"),
        ('review.skip = "2"', "both review.skip and review.answer-2"),
        ('review.answer-1 = "u"', "both review.answer-1 and review.undo"),
        ('review.skip = "j"', "both review.skip and pane.down"),
        ('pane.up = "ctrl+q"', "both pane.up and app.quit"),
        ('review.skip = "ctrl+q"', "both review.skip and app.quit"),
        ('review.skip = "pgedown"', "'pgedown' is not a key; did you mean pagedown"),
        ('review.skip = "hyper+super+nokey"', "is not a key"),
        ('review.skip = ""', "'' is not a key"),
        ('writing.save = "s"', "'s' would type text there"),
        ('writing.save = "question_mark"', "'question_mark' would type text there"),
    ],
)
def test_what_will_not_do_is_named(tmp_path: Path, text: str, told: str) -> None:
    with pytest.raises(InputError) as error:
        keys(tmp_path, text)
    assert told in str(error.value)
    assert "settings.toml" in str(error.value)


def test_the_same_key_on_different_screens_is_no_clash(tmp_path: Path) -> None:
    assert keys(tmp_path, 'home.import = "x"\nreview.skip = "k"\npane.up = "up"').keys


def test_themes_are_known_by_name(tmp_path: Path) -> None:
    assert preferences(tmp_path, 'theme = "reviewer-light"').theme == "reviewer-light"
    assert {"reviewer-dark", "nord"} <= set(THEMES)
    with pytest.raises(InputError, match="'norrd' is not a theme; did you mean nord"):
        preferences(tmp_path, 'theme = "norrd"')


async def test_changed_keys_work_and_every_screen_shows_them(
    study: str, database: Database, tmp_path: Path
) -> None:
    settings = keys(
        tmp_path, 'review.skip = "t"\nreview.answer-1 = "y"\nreview.undo = "f7"\nreview.keys = "f9"'
    )
    app = ReviewerApp(database, "anna", study, settings)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        assert "y  True" in seen(pilot)
        assert "t skip" in seen(pilot)
        await press(pilot, "y", "t")
        assert saved(database) == [("label", "True"), ("skip", None)]
        await press(pilot, "f7", "1", "s", "u")
        assert saved(database)[2:] == [("undo", None)]
        await press(pilot, "f9")
        assert "t  skip" in seen(pilot)
        sheet = pilot.app.screen
        assert isinstance(sheet, KeySheet)
        rows = {(row.keys, row.label) for row in sheet.rows}
        assert {("t", "skip"), ("^q", "quit")} <= rows
        assert any(keys.startswith("y") and label == "True" for keys, label in rows)


async def test_a_letter_that_does_something_else_answers_by_digit(
    study: str, database: Database, tmp_path: Path
) -> None:
    app = ReviewerApp(
        database,
        "anna",
        study,
        keys(tmp_path, 'review.answer-1 = "y"\nreview.skip = "f"\nreview.answer-2 = "0"'),
    )
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        await press(pilot, "f", "0")
        assert saved(database) == [("skip", None), ("label", "False")]


async def test_the_theme_chosen_last_is_there_next_time(
    study: str, database: Database, tmp_path: Path
) -> None:
    file = tmp_path / "settings.toml"
    app = ReviewerApp(database, "anna", study, Settings(), file)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        assert app.theme == "reviewer-dark"
        assert not file.exists()
        app.theme = "reviewer-light"
        await settle(pilot)
    assert load_preferences(file).theme == "reviewer-light"


async def test_a_settings_file_that_cannot_be_written_is_said_and_nothing_breaks(
    study: str, database: Database, tmp_path: Path
) -> None:
    app = ReviewerApp(database, "anna", study, Settings(), tmp_path)
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        app.theme = "reviewer-light"
        await settle(pilot)
        assert any("not a regular file" in told.message for told in app._notifications)
        await press(pilot, "t")
    assert saved(database) == [("label", "True")]


@pytest.fixture
def manual_came_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preferences_module, "LATER", {"app.manual": "f1", "review.reveal": "R"})


@pytest.mark.usefixtures("manual_came_later")
def test_a_key_of_a_later_action_that_settings_gave_away_moves_to_another(tmp_path: Path) -> None:
    settings = keys(tmp_path, 'review.keys = "f1"')
    effective = effective_keys(settings.keys)
    assert effective["review.keys"] == ("f1",)
    assert effective["app.manual"] == ("ctrl+f1",)


@pytest.mark.usefixtures("manual_came_later")
async def test_a_later_key_in_older_settings_does_what_the_settings_say(
    database: Database, study: str
) -> None:
    app = ReviewerApp(database, "anna", study, Settings(keys={"review.flag": "R"}))
    async with app.run_test(size=WIDE) as pilot:
        await settle(pilot)
        await put_card_away(pilot)
        shown = keys_by_id(app.screen)
        assert shown["review.flag"] == "R"
        assert shown.get("review.reveal", "^r") != "R"
