"""libswipl in this process, through pyswip: one goal in, one string out."""

from ctypes import byref, c_char_p, c_size_t, string_at
from pathlib import Path
from typing import Any

from reviewer.oracle.worker.text import quoted

PROLOG_FILES = Path(__file__).resolve().parent.parent / "prolog"


class Prolog:
    """The engine, initialised on construction; there can be one in a process."""

    def __init__(self) -> None:
        # Imported here, because importing pyswip starts the engine.
        import pyswip.core as core

        self._core: Any = core
        self.call(f"asserta(user:file_search_path(oracle, {_atom(str(PROLOG_FILES))}))")
        self.call("set_prolog_flag(gc_thread, false)")
        self.call("load_files(user:oracle(job), [silent(true)])")
        self.call("oracle_load:install_message_collector")
        self.call("oracle_confine:provide_vocabulary")
        self.call("oracle_job:warm_up")
        self.call("garbage_collect, garbage_collect_atoms, trim_stacks")

    def call(self, goal: str) -> None:
        """Prove a goal once. Raises RuntimeError when it fails or raises."""
        if not self._core.PL_call(self._term(goal), None):
            raise RuntimeError(f"the Prolog goal failed: {goal[:200]}")

    def version(self) -> str:
        """SWI-Prolog's version as in ``9.0.4``."""
        number = int(self._core.PL_version(self._core.PL_VERSION_SYSTEM))
        return f"{number // 10000}.{number // 100 % 100}.{number % 100}"

    def run(self, text: str, query: str, options: str) -> bytes:
        """The reply of oracle_job:run/4: JSON, one byte a character. Raises RuntimeError."""
        goal = self._term(f"oracle_job:run({quoted(text)}, {quoted(query)}, {options}, _)")
        if not self._core.PL_call(goal, None):
            raise RuntimeError("the program's run did not end")
        return self._string(self._argument(4, self._argument(2, goal)))

    def _term(self, text: str) -> Any:
        term = self._core.PL_new_term_refs(1)
        if not self._core.PL_chars_to_term(text, term):
            raise RuntimeError(f"not a Prolog term: {text[:200]}")
        return term

    def _argument(self, place: int, term: Any) -> Any:
        argument = self._core.PL_new_term_refs(1)
        if not self._core.PL_get_arg(place, term, argument):
            raise RuntimeError("the program's run gave no reply")
        return argument

    def _string(self, term: Any) -> bytes:
        chars, size = c_char_p(), c_size_t()
        if not self._core.PL_get_string_chars(term, byref(chars), byref(size)):
            raise RuntimeError("the program's reply is not text")
        return string_at(chars, size.value)


def _atom(text: str) -> str:
    return "'" + quoted(text)[1:-1].replace("'", "\\'") + "'"
