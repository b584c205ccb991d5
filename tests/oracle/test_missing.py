"""Without SWI-Prolog the oracle says so in one sentence, with the command that installs it."""

from collections.abc import Iterator

import pytest

from reviewer.core.errors import ReviewerError
from reviewer.oracle import oracle_errors, pool, workers
from reviewer.oracle.doctor import check_up
from reviewer.oracle.jail import Jail
from reviewer.oracle.oracle_errors import OracleMissing
from reviewer.oracle.oracle_program import Program

UNUSED = Jail(deadline=True, orphan=False, descriptors=False)  # no other test has workers under this one


@pytest.fixture
def no_prolog(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("LIBSWIPL_PATH", "SWI_HOME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(workers.shutil, "which", lambda name: None)
    monkeypatch.setattr(workers, "MAC_APPLICATION", "/nonexistent/swipl")
    workers.find_engine.cache_clear()
    yield
    workers.find_engine.cache_clear()


@pytest.mark.usefixtures("no_prolog")
def test_running_says_what_to_install() -> None:
    with pytest.raises(OracleMissing) as raised:
        pool.run(Program("decide_option(user, a)."), UNUSED)
    assert isinstance(raised.value, ReviewerError)
    assert oracle_errors.install_command() in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.usefixtures("no_prolog")
def test_the_doctor_says_what_to_install() -> None:
    checkup = check_up()
    assert checkup.problem is not None
    assert checkup.remedy == oracle_errors.install_command()
    assert checkup.protections


def test_one_command_for_each_platform() -> None:
    assert oracle_errors.install_command("linux").endswith("swi-prolog-nox")
    assert oracle_errors.install_command("darwin") == "brew install swi-prolog"
    assert "winget" in oracle_errors.install_command("win32")
