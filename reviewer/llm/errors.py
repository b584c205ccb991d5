"""What can go wrong between us and a model, drawn as a tree.

ModelError
├── Unusable           nothing that is asked this way will be answered: the run cannot go on
│   ├── ExtraMissing   the package that speaks with models is not installed
│   ├── KeyRefused     no key, or one that the server does not take
│   ├── NoSuchModel    the server does not have the model, or is none
│   ├── RequestRefused the server takes the request itself amiss (a parameter, say)
│   └── QuotaSpent     the account has no credit left
├── NotAsked           it was not asked, because no more calls are to be made
│   ├── BudgetSpent
│   └── Stopped
├── Unanswered         this request has no usable answer; another one may have
│   ├── GaveUp         busy, broken, unreachable or too slow, every time
│   ├── AnswerEmpty
│   ├── AnswerCut      the model came to its limit of tokens
│   ├── AnswerWithheld the server filtered it
│   └── TooLong        the request is longer than the model takes
└── NotRecorded        the recording that is replayed does not have this request
"""

from reviewer.core.errors import ReviewerError


class ModelError(ReviewerError):
    """A model gave no answer; the message says which, and why."""


class Unusable(ModelError):  # noqa: N818  # as in the oracle, names say what is the matter
    """No request of this kind will be answered until somebody changes something."""


class ExtraMissing(Unusable):
    """The packages that generation needs are not installed."""

    def __init__(self) -> None:
        super().__init__(
            "asking models needs the package openai; "
            "install it with: pip install 'dilemma-reviewer[generate]'"
        )


class KeyRefused(Unusable):
    """The server wants a key, or another one."""


class NoSuchModel(Unusable):
    """The server does not know the model, or does not speak this protocol at this address."""


class RequestRefused(Unusable):
    """The server does not take what is sent: a parameter, a message, the address."""


class QuotaSpent(Unusable):
    """The account has no credit left; waiting does not help."""


class NotAsked(ModelError):  # noqa: N818
    """No more calls are made; what was under way is finished and kept."""


class BudgetSpent(NotAsked):
    """The budget, in money or calls, is spent."""


class Stopped(NotAsked):
    """Somebody stopped the run."""


class Unanswered(ModelError):  # noqa: N818
    """This one request got no answer that can be used."""


class GaveUp(Unanswered):
    """Every attempt failed; the message has the last reason."""


class AnswerEmpty(Unanswered):
    """The model said nothing, every time."""


class AnswerCut(Unanswered):
    """The answer ends where the limit of tokens cut it."""


class AnswerWithheld(Unanswered):
    """The server's filter kept the answer back."""


class TooLong(Unanswered):
    """The request does not fit into what the model reads at once."""


class NotRecorded(ModelError):  # noqa: N818
    """A recording is replayed, and it does not have the request."""
