"""Which protections stand around a program, and the limits that they enforce."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Jail:
    """The protections, each by name; all are on unless a test or a bench says otherwise.

    ``gate`` reads a text before it is loaded; ``environment`` empties the environment; ``descriptors`` closes
    what is open but the reply pipe; ``limits`` sets resource limits; ``privileges`` is no_new_privs;
    ``landlock`` leaves only SWI-Prolog's own files readable; ``seccomp`` leaves only harmless system calls;
    ``orphan`` ends a child whose worker ends; ``deadline`` kills a child that takes too long.
    """

    gate: bool = True
    environment: bool = True
    descriptors: bool = True
    limits: bool = True
    privileges: bool = True
    landlock: bool = True
    seccomp: bool = True
    orphan: bool = True
    deadline: bool = True

    @classmethod
    def none(cls, **kept: bool) -> "Jail":
        """No protection at all but those named: for tests and benches."""
        return cls(**{name: kept.get(name, False) for name in asdict(cls())})


FULL = Jail()
