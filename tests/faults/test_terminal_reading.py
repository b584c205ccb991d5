"""What a program writes last is read, however soon it ends after it."""

import pytest

from tests.terminal import Terminal

LAST_WORDS = ("-c", "import sys; sys.stdin.readline(); print('last words')")


class Late(Terminal):
    """The program writes and ends between a look that reads nothing and the next line."""

    def read(self, seconds: float) -> bytes:
        data = super().read(0)
        if not data and self.process.poll() is None:
            self.press("\r")
            self.process.wait()
        return data


def test_last_words_of_a_program_are_waited_for() -> None:
    with Late(LAST_WORDS) as terminal:
        assert "last words" in terminal.wait_for("last words")


def test_last_words_are_on_the_screen_once_it_has_ended() -> None:
    with Late(LAST_WORDS) as terminal:
        assert terminal.wait_for_end() == 0
        assert "last words" in terminal.text


def test_words_that_never_come_are_not_waited_for_once_it_has_ended() -> None:
    with Late(LAST_WORDS) as terminal, pytest.raises(AssertionError, match="waited in vain"):
        terminal.wait_for("other words")
