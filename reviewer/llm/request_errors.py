"""The errors of requests to models, drawn as a tree.

ModelError
├── Unusable           no request of this kind will be answered, so the run cannot go on
│   ├── ExtraMissing   the package openai is not installed
│   ├── KeyRefused     the key is missing, or the server rejects it
│   ├── NoSuchModel    the server does not have the model, or is not a model server
│   ├── RequestRefused the server rejects the request itself (a parameter, for example)
│   └── QuotaSpent     the account has no credit left
├── NotSent            the request was not sent, because no more calls may be made
│   ├── BudgetSpent
│   ├── LeaseEnded     another process may have the questions now
│   └── Stopped
├── Unanswered         this request has no usable answer; other requests may have one
│   ├── GaveUp         every attempt failed: the server was busy, broken, unreachable or too slow
│   ├── AnswerEmpty
│   ├── AnswerCut      the answer reached the limit of tokens
│   ├── AnswerRefused  the model refused to answer, or called a tool instead
│   ├── AnswerWithheld the server's filter withheld the answer, or did not take the question
│   └── TooLong        the request is longer than the model accepts
└── NotRecorded        the recording that is replayed does not contain this request
"""

from reviewer.core.errors import ReviewerError


class ModelError(ReviewerError):
    """A model gave no answer; the message names the model and the reason."""


class Unusable(ModelError):  # noqa: N818  # as in the oracle, names describe the fault
    """No request of this kind will be answered until somebody changes something."""


class ExtraMissing(Unusable):
    """The packages that generation needs are not installed."""

    def __init__(self) -> None:
        super().__init__(
            "asking models needs the package openai; "
            "install it with: pip install 'dilemma-reviewer[generate]'"
        )


class KeyRefused(Unusable):
    """The server asks for a key, or rejects the one that was sent."""


class NoSuchModel(Unusable):
    """The server does not know the model, or does not speak this protocol at this address."""


class RequestRefused(Unusable):
    """The server rejects a part of the request: a parameter, a message or the address."""


class QuotaSpent(Unusable):
    """The account has no credit left, so waiting does not help."""


class NotSent(ModelError):  # noqa: N818
    """No more calls are made; requests in flight are finished and stored."""


class BudgetSpent(NotSent):
    """The budget, in money or calls, is spent."""


class LeaseEnded(NotSent):
    """This process did not renew its lease in time, so another one may have its questions now."""


class Stopped(NotSent):
    """Somebody stopped the run."""


class Unanswered(ModelError):  # noqa: N818
    """This request got no usable answer. ``reply`` is the text that came of the last one, cut or empty."""

    reply: str = ""


class GaveUp(Unanswered):
    """Every attempt failed; the message gives the last reason."""


class AnswerEmpty(Unanswered):
    """Every answer of the model was empty."""


class AnswerCut(Unanswered):
    """The limit of tokens cut the answer off."""


class AnswerRefused(Unanswered):
    """The model refused to answer, or called a tool instead; ``reply`` is its text."""


class AnswerWithheld(Unanswered):
    """The server's filter withheld the answer, or did not take the question."""


class TooLong(Unanswered):
    """The request does not fit into the model's context."""


class NotRecorded(ModelError):  # noqa: N818
    """The recording that is replayed does not contain the request."""


OF_ONE_REQUEST = (AnswerCut, AnswerEmpty, AnswerRefused, AnswerWithheld, TooLong)
"""Errors that concern one request: others may be answered. What needed this answer goes on without it."""
