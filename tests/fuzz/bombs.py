"""Small files that unpack to large ones, mostly damaged: a sentence, in little memory and time."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.bomb_readers import FILE, READERS, Reader, prepared, run_in_turn
from tests.fuzz.command_process import forking
from tests.fuzz.harness import Attempt, Case, Wrong
from tests.fuzz.mutations import mutated_bytes


@cache
def _content(reader: str, bomb: str) -> bytes:
    return READERS[reader].bombs[bomb]()


@contextmanager
def opened(folder: Path) -> Iterator[Attempt]:
    """Two stores for all cases, and the child that each case starts."""
    prepared(folder)
    context = forking()

    def attempt(case: Case) -> None:
        path, commands = _file(case, folder)
        try:
            runs = run_in_turn(context, commands, folder)
        finally:
            path.unlink()
        if faults := [run.fault for run in runs if run.fault]:
            raise Wrong(faults[0])
        if len(runs) < len(commands):
            raise Wrong(f"it hangs or died: {' '.join(commands[len(runs)])}")

    yield attempt


def _file(case: Case, folder: Path) -> tuple[Path, list[tuple[str, ...]]]:
    """One file, mostly damaged, and the commands that read it."""
    name = case.random.choice(list(READERS))
    reader: Reader = READERS[name]
    bomb = case.random.choice(list(reader.bombs))
    content = _content(name, bomb)
    if case.random.random() < 0.8:
        content = mutated_bytes(case.random, content)
    path = folder / f"bomb{reader.ending}"
    path.write_bytes(content)
    case.keep(path.name, content)
    case.keep("what.txt", f"{name}: {bomb}")
    return path, [tuple(path.name if word == FILE else word for word in words) for words in reader.commands]
