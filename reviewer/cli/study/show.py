"""``reviewer study show``: a study's sample, design and questions."""

from collections.abc import Container

from reviewer.cli.options import note, open_store, print_table
from reviewer.cli.viewer import hidden_from_viewer, viewer
from reviewer.core.sanitize import agreeing, counted, visible
from reviewer.core.table import Table
from reviewer.options.study import StudyShowOptions
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.design_facts import design_facts
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.blinding import owed_by
from reviewer.study.session.rater_progress import progress_of


def study_show_command(options: StudyShowOptions) -> None:
    """Carry out ``reviewer study show``."""
    database = open_store(options.store, must_exist=True)
    bundle = load_study(database, options.name)
    owes = bool(owed_by([progress_of(database, options.name)], viewer(database)))
    facts = design_facts(bundle)
    if options.only_design:
        print_table(Table.of(("design", "value"), facts), options.form)
        return
    for fact, value in facts:
        note(visible(f"{fact}: {value}"))
    for act in bundle.acts:
        note(act_in_words(act))
    print_table(_sample(bundle, hidden_from_viewer(database), owes=owes), options.form)
    if owes:
        note("You still have cases to answer, so roles, repeats and hidden generators are left out.")
    if bundle.stale:
        number = len(bundle.stale)
        verb = agreeing(number, "is", "are")
        note(f"{counted(number, 'case')} {verb} stale: the content at its place in the dataset has changed.")


def _sample(bundle: StudyBundle, unnamed: Container[str], *, owes: bool) -> Table:
    """The sample. Raters who owe answers learn no roles, repeats or generators of ``unnamed`` datasets."""
    rows = [
        {
            "position": place.position + 1,
            "dataset": place.dataset,
            "key": place.key,
            "generator": place.generator,
            "group": place.group,
            "case": place.case[:12],
            "role": place.role,
            "shown": 2 if place.case in bundle.repeated else 1,
        }
        for place in bundle.sample
    ]
    hidden = {"role", "shown"} if owes else set()
    hidden |= {"generator" for place in bundle.sample if place.dataset in unnamed}
    columns = [name for name in rows[0] if name not in hidden]
    return Table.of(columns, [[row[name] for name in columns] for row in rows])
