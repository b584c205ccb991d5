"""``reviewer agreement``: from the ledger of a study, or from a file of labels, to numbers."""

from pathlib import Path

import click

from reviewer.options.results import AgreementOptions


def agreement_command(options: AgreementOptions) -> None:
    """``reviewer agreement``: what a study needs does not load for a file."""
    if options.table.file is not None:
        _print_file(options, options.table.file)
    elif options.name is None:
        raise click.UsageError("Name a study, or a file of labels with --from.")
    else:
        from reviewer.cli.study_agreement import print_study_agreement

        print_study_agreement(options, options.name)


def _print_file(options: AgreementOptions, path: Path) -> None:
    """All coefficients of the labels of a file; raises UsageError for options that need a study."""
    from reviewer.cli.agreement_printing import agreement_printed, with_remarks
    from reviewer.cli.printing import print_tables
    from reviewer.exchange.labels.foreign_label import LabelFields
    from reviewer.exchange.labels.label_table import read_label_table
    from reviewer.exchange.rows.row_files import RowOptions
    from reviewer.options.result_options import all_coefficients
    from reviewer.results.labels.loose_labels import loose_results

    of_a_study = (options.name, options.others, options.by, options.plan_width)
    if any(of_a_study) or options.shown != "agreement":
        raise click.UsageError("--from shows the agreement of one file; leave the study and its options out.")
    way = options.table
    columns = way.key_field, way.rater_field, way.question_field, way.label_field, way.rater_columns or ()
    text = RowOptions(way.encoding, way.separator, way.header_row, way.sheet)
    read = read_label_table(path, text, LabelFields(*columns), way.order or ())
    method = options.method(options.coefficients or all_coefficients(), options.weights, options.unweighted)
    results = loose_results(read.questions, method)
    printed = agreement_printed(results, results, ("question",), options)
    notices = [f"{notice}." for notice in read.notices]
    print_tables(options.form, with_remarks(printed, notices), "labels")
