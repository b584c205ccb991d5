"""The errors that people see, drawn as a tree. The command line prints the sentence and exits with code 2.

ReviewerError
├── InputError     a file or record from outside is wrong
├── RequestError   the request names something that does not exist or does not fit (a study, a sample size)
├── CheckFailed    what was asked for is done, and the data does not meet what the caller demands; exit code 5
├── Unfinished     long work stopped early; the results so far are kept, and the same command resumes it
└── StoreError     the store cannot be opened, read or written
    ├── StoreBusyError   another program is writing to it now
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
    """A request that cannot be fulfilled."""


class CheckFailed(ReviewerError):  # noqa: N818  # nothing is wrong with the request
    """The data does not meet what the caller demands, such as no serious finding. Everything was shown."""


class Unfinished(ReviewerError):  # noqa: N818  # nothing is wrong with the request
    """Long work stopped before its end. Finished parts are kept, and the same command resumes it."""


class StoreError(ReviewerError):
    """The store cannot be opened, read or written as requested."""


class StoreBusyError(StoreError):
    """Another program holds the store's write lock. Nothing was changed; another attempt may succeed."""


class StoreGoneError(StoreError):
    """The file of an open store is no longer the one at its path. Anything written to it would be lost."""
