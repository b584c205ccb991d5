"""``reviewer answers``: what experts found in the answers of models."""

from collections.abc import Sequence
from pathlib import Path

from reviewer.cli.printing import Printed, declared_tables, note, print_tables
from reviewer.cli.store_access import open_store
from reviewer.cli.viewed_study import note_unfinished, study_with_events
from reviewer.cli.viewer import viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import one_line
from reviewer.exchange.rows.study_inputs import read_themes
from reviewer.options.results import AnswersOptions
from reviewer.protocols.registry import protocols_of
from reviewer.results.labels.answer_origins import drawn_outcomes, origins_of, places_of_answers
from reviewer.results.labels.answer_shares import GROUP, MODEL, AnswerShare, answer_shares, speaks_for
from reviewer.results.labels.final_labels import check_label_rule, final_labels
from reviewer.results.outcomes.answer_sources import source_remarks
from reviewer.results.outcomes.evaluated import read_evaluation
from reviewer.results.outcomes.theme_counts import theme_counts, words_of
from reviewer.results.tables.answer_tables import DRAWN_OUTCOMES, answer_shares_spec, theme_counts_spec
from reviewer.study.design.study_bundle import StudyBundle
from store.database import Database
from store.records import Event


def answers_command(options: AnswersOptions) -> None:
    """Carry out ``reviewer answers``."""
    _check_by(options.by)
    bundle, events = study_with_events(options.store, options.name)
    database = open_store(options.store)
    _check_answers(bundle, viewer(database))
    check_label_rule(bundle, options.rule)
    print_tables(options.form, _printed(database, bundle, events, options), options.name)
    note(*source_remarks(database, bundle))
    note_unfinished(options.store, options.name)


def _check_by(by: Sequence[str]) -> None:
    if unknown := [name for name in by if name not in (MODEL, GROUP)]:
        raise RequestError(f"--by has no {one_line(unknown[0])!r}; divide by model, group or both.")


def _check_answers(bundle: StudyBundle, person: str) -> None:
    """Raise RequestError if a study has no answers of models, or this person may not see who answered."""
    if bundle.design.draw_hidden:
        raise RequestError(
            f"how the cases of study {bundle.study.name} were drawn, and who answered, is shown to "
            f"{one_line(person)!r} once it is closed."
        )
    if bundle.design.answers is None:
        raise RequestError(
            f"study {bundle.study.name!r} reviews cases, not answers of models; make one with `reviewer "
            "study new NAME --answers RUN`."
        )


def _printed(
    database: Database, bundle: StudyBundle, events: Sequence[Event], options: AnswersOptions
) -> Printed:
    if options.words is not None and options.shown != "shares":
        raise RequestError("--words prints a table of its own; leave out --drawn.")
    places = places_of_answers(database, bundle)
    if not places:
        raise RequestError(
            f"the dataset of answers of study {bundle.study.name!r} is not in this store, so nothing says "
            "who gave them; run the command on the store in which the study was made."
        )
    if options.shown == "drawn":
        rows = [*drawn_outcomes(bundle, places)]
        return declared_tables(DRAWN_OUTCOMES, rows, "Outcomes behind the answers", options)
    finals = final_labels(bundle, events, options.rule)
    if options.words is not None:
        chosen = answer_shares(bundle, finals, origins_of(bundle, places), (GROUP,), options.level)
        return _of_words(database, bundle, chosen, options.words, options)
    shares = answer_shares(bundle, finals, origins_of(bundle, places), options.by, options.level)
    caption, spec = "Shares of the run", answer_shares_spec(options.by)
    return declared_tables(spec, shares, caption, options, [speaks_for(bundle)])


def _of_words(
    database: Database,
    bundle: StudyBundle,
    chosen: Sequence[AnswerShare],
    path: Path,
    options: AnswersOptions,
) -> Printed:
    """Themes by their words in all answers of the run, next to the main reasons that experts chose."""
    themes, source = read_themes(path, note), bundle.design.answers
    assert source is not None
    evaluation = read_evaluation(database, protocols_of(database), source.run)
    key, _ = bundle.protocol.themed
    by_theme = {(row.label, row.group): row.share for row in chosen if row.question.key == key}
    rows = theme_counts(database, evaluation, themes, by_theme, options.level)
    notes = [
        "Words tell only that a theme is named, not that it is the reason. They are counted in all answers "
        "of the run; experts judged the part that the study was drawn from.",
        *words_of(themes),
    ]
    return declared_tables(theme_counts_spec(rows), rows, "Themes by keywords", options, notes)
