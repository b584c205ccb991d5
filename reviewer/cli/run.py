"""``reviewer run``: any procedure of a protocol, started or resumed; a list of all runs."""

from typing import Any

from reviewer.cli.carry_on import run_to_end
from reviewer.cli.declared_command import declared
from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store, protocols_here
from reviewer.cli.viewer import viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.options.evaluate import EvaluateOptions
from reviewer.options.generate import DiscoverOptions, GenerateOptions
from reviewer.options.option import CommandOptions
from reviewer.options.run import RunOptions
from reviewer.runs.case_values import case_procedure, prepared_case_run, texts_in_values
from reviewer.runs.made_cases import DATASET
from reviewer.runs.run_list import run_summaries, runs_table
from reviewer.runs.run_setup import RunRequest
from reviewer.study.session.blinding import studies_with_hidden_judges
from reviewer.study.session.rater_progress import study_progress
from store.records import COMMANDS_OF_RUNS

_OPTIONS: dict[str, type[CommandOptions]] = {
    "generate": GenerateOptions,
    "discover": DiscoverOptions,
    "evaluate": EvaluateOptions,
}
_Named = dict[str, str | None]
_OF_COMMANDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "generate": (("author",), ("seeds",)),
    "discover": (("judge", "teacher"), ("library", "pairs", "validation")),
    "evaluate": (("subject",), ("cases",)),
}
"""The roles and the parts of the procedures that have commands of their own."""


def run_command(options: RunOptions) -> None:
    """Carry out ``reviewer run``."""
    if options.name:
        _run(options, str(options.protocol), str(options.procedure), options.name)
    elif options.protocol:
        raise RequestError(
            "name the protocol, the procedure and the run: reviewer run PROTOCOL PROCEDURE RUN."
        )
    else:
        database = open_store(options.store)
        hidden = studies_with_hidden_judges(study_progress(database), viewer(database))
        listed = [each for each in run_summaries(database) if each.run.judged_study not in hidden]
        print_table(runs_table(listed), options.form)


def _run(options: RunOptions, protocol: str, procedure: str, name: str) -> None:
    roles, datasets = _pairs(options.roles, "--role"), _pairs(options.datasets, "--dataset", DATASET)
    if procedure in COMMANDS_OF_RUNS:
        _own_command(options, protocol, procedure, name, roles, datasets)
        return
    offered = case_procedure(protocols_here().named(protocol), procedure)
    settings, source = options.setting.read()
    _check_names(roles, offered.roles, "role")
    _check_names(datasets, (DATASET,), "part")
    request = RunRequest(
        name, datasets, roles, protocol, None, options.seed, settings, source, options.folder
    )
    database = open_store(options.store)
    prepared = prepared_case_run(database, offered, request)
    progress = run_to_end(prepared, options)
    if progress is not None:
        print_table(progress.table, options.form)
        note(*texts_in_values(database, prepared.run))
        note(f"{name}: finished{'; ' if progress.ended else ''}{progress.ended.rstrip('.')}.")


def _pairs(given: tuple[str, ...], option: str, usual: str = "") -> _Named:
    """The values of an option by the names before them; ``usual`` is the name where there is none."""
    pairs: _Named = {}
    for text in given:
        name, equals, value = text.rpartition("=")
        name = name.strip() if equals else usual
        if not (name and value.strip()) or pairs.setdefault(name, value.strip()) != value.strip():
            raise RequestError(f"{option} {one_line(text)!r} is not possible; say each NAME=VALUE once.")
    return pairs


def _check_names(given: _Named, known: tuple[str, ...], what: str) -> None:
    if unknown := [name for name in given if name not in known]:
        raise RequestError(f"there is no {what} {one_line(unknown[0])!r}; there are {', '.join(known)}.")


def _own_command(
    options: RunOptions, protocol: str, procedure: str, name: str, roles: _Named, datasets: _Named
) -> None:
    """Call the command that is named after a procedure, whose options have names of their own."""
    known_roles, known_parts = _OF_COMMANDS[procedure]
    if set(datasets) == {DATASET}:
        datasets = {known_parts[0]: datasets[DATASET]}
    if procedure != "evaluate":  # it knows the roles of its protocol
        _check_names(roles, known_roles, "role")
    _check_names(datasets, known_parts, "part")
    same = ("form", "store", "folder", "dry_run", "take_over", "models")
    given: dict[str, Any] = {field: getattr(options, field) for field in same} | {"name": name}
    if procedure == "evaluate":
        given |= _of_evaluation(options, datasets, roles)
    else:
        given |= {field: getattr(options, field) for field in ("seed", "setting", "sentence_model")}
        given |= datasets
    if procedure == "generate":
        model = next(iter(roles.values()), None)
        given |= {"protocol": protocol, "model": model, "accepted": options.accepted}
    elif procedure == "discover":
        given |= roles
    kind = _OPTIONS[procedure]
    declared((procedure,), kind).function()(kind(**given))


def _of_evaluation(options: RunOptions, datasets: _Named, roles: _Named) -> dict[str, Any]:
    """The options of ``reviewer evaluate``, which tells the asked model from those of further roles."""
    if options.seed is not None:
        raise RequestError("evaluate has options in place of --seed; see `reviewer evaluate --help`.")
    (subject,), _ = _OF_COMMANDS["evaluate"]
    others = tuple(f"{role}={model}" for role, model in roles.items() if role != subject)
    return {
        "datasets": tuple(filter(None, datasets.values())),
        "asked": tuple(filter(None, [roles.get(subject)])),
        "roles": others,
        "setting": options.setting,
    }
