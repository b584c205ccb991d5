"""What can go wrong for a person, drawn as a tree; the command line prints the sentence and exits with 2.

ReviewerError
├── InputError     a file or record that came from outside is not what it should be
├── RequestError   what was asked for does not exist or does not fit (a study, a rater name, a sample size)
├── Unfinished     long work stopped before its end; what was done is kept, and the same command resumes it
└── StoreError     the store cannot be opened, read or written
    ├── StoreBusyError   another program is writing to it just now
    └── StoreGoneError   its file was deleted, moved or replaced while it was open
"""


class ReviewerError(Exception):
    """One clear sentence: where, what is wrong, and what to do about it."""


class InputError(ReviewerError):
    """Bad input: names the place (file, record, field), what is wrong there, and what to do."""

    def __init__(self, where: str, wrong: str, remedy: str) -> None:
        self.where, self.wrong, self.remedy = where, wrong, remedy
        super().__init__(f"{where}: {wrong}; {remedy}.")


class RequestError(ReviewerError):
    """A request that cannot be met as it stands."""


class Unfinished(ReviewerError):  # noqa: N818  # nothing is wrong with what was asked for
    """Long work stopped before its end. What was done is kept, and the same command resumes it."""


class StoreError(ReviewerError):
    """The store cannot do what is asked of it."""


class StoreBusyError(StoreError):
    """Another program holds the store's write lock; nothing was changed, and trying again may do."""


class StoreGoneError(StoreError):
    """The file of an open store is not the one at its path any more; what is written to it would be lost."""
