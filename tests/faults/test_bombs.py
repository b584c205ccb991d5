"""Small files that would unpack to gigabytes: each reader, in a child, takes little time and memory."""

from pathlib import Path

import pytest

from tests.bomb_readers import READERS, commands_on, prepared, run_in_turn
from tests.fuzz.command_process import forking


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_small_file_takes_little_memory_and_time(tmp_path: Path, name: str) -> None:
    prepared(tmp_path)
    commands = list(commands_on(READERS[name], tmp_path))
    runs = run_in_turn(forking(), commands, tmp_path)
    assert [run.fault for run in runs if run.fault] == []
    assert [run.command for run in runs] == commands
