"""What the forms share that draw a study: they draw in the background, and stay open where it fails."""

from abc import abstractmethod
from typing import TypeVar

from textual import work
from textual.message import Message

from reviewer.core.errors import ReviewerError
from reviewer.tui.dialogs.option_form import OptionForm

Request = TypeVar("Request")


class DrawingForm(OptionForm[Request]):
    """Returns the request once it is drawn; where that fails, shows why and stays open."""

    class Drawn(Message):
        """The study is in the store."""

        def __init__(self, request: object) -> None:
            self.request = request
            super().__init__()

    class Failed(Message):
        """It could not be drawn; ``sentence`` says why."""

        def __init__(self, sentence: str) -> None:
            self.sentence = sentence
            super().__init__()

    @abstractmethod
    def draw(self, request: Request) -> None:
        """Save the study, away from the app's own thread; raises ReviewerError."""

    def accept(self, answer: Request) -> None:
        """Draw the sample; the form closes only if that succeeds."""
        self.tell("Drawing the sample …")
        self.draw_sample(answer)

    @work(thread=True, exclusive=True, group="draw")
    def draw_sample(self, answer: Request) -> None:
        """Draw in the background: a large dataset takes a moment."""
        try:
            self.draw(answer)
        except ReviewerError as error:
            self.post_message(self.Failed(str(error)))
        else:
            self.post_message(self.Drawn(answer))

    def on_drawing_form_failed(self, message: Failed) -> None:
        """Show why, and let the person change the form."""
        self.complain(message.sentence)

    def on_drawing_form_drawn(self, message: Drawn) -> None:
        """Return the request."""
        self.dismiss(message.request)  # type: ignore[arg-type]
