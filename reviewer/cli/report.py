"""``reviewer report``: a study or an evaluation run as pages and figures."""

from pathlib import Path

import click
from click.core import ParameterSource

from reviewer.cli.printing import note
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import visible
from reviewer.core.whole_files import write_texts
from reviewer.options.option import entries
from reviewer.options.results import ReportedRun, ReportedStudy, ReportOptions


def report_command(options: ReportOptions) -> None:
    """``reviewer report``: a study or an evaluation run as pages and figures."""
    subject = _subject(options)
    target = options.folder or Path("exports") / subject
    # Each of the two reports takes a fifth of a second to load, and needs nothing of the other.
    if options.evaluation is not None:
        from reviewer.cli.report_of_run import run_files

        paths, remarks = write_texts(target, run_files(options, subject)), list[str]()
    else:
        from reviewer.cli.report_of_study import report_on_study

        paths, remarks = report_on_study(options, subject, target)
    for path in paths:
        click.echo(visible(str(path)))
    if options.no_figures and any((target / "figures").glob("*.*")):
        note(f"Note: {target / 'figures'} holds figures of an earlier report, not of this one.")
    note(*remarks)


def _subject(options: ReportOptions) -> str:
    """The study or run of the report; raises RequestError for none or two, or for options of the other."""
    if (options.name is None) == (options.evaluation is None):
        raise RequestError("name either a study or, with --evaluation, an evaluation run.")
    other, kind = (ReportedRun, "a study") if options.name else (ReportedStudy, "an evaluation run")
    context, wrong = click.get_current_context(), {name for name, *_ in entries(other)}
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE
        if given and parameter.name in wrong:
            raise RequestError(f"{parameter.opts[0]} does not apply to {kind}; leave it out.")
    return options.name or options.evaluation or ""
