"""``reviewer study``: everything that concerns one study as a whole."""

import os
import sys
from collections.abc import Container
from urllib.parse import urlsplit

import click

from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.streams import output_is_closed
from reviewer.cli.viewer import check_for_others, hidden_from_viewer, viewer
from reviewer.core.errors import RequestError
from reviewer.core.sanitize import agreeing, counted, is_single_line
from reviewer.core.table import Table
from reviewer.options.result_options import coefficient_keys
from reviewer.options.shared import own_name
from reviewer.options.study import (
    StudyCoefficientsOptions,
    StudyDescribeOptions,
    StudyExcludeOptions,
    StudyIncludeOptions,
    StudyLeadOptions,
    StudyLinkOptions,
    StudyLinksOptions,
    StudyListOptions,
    StudyPackOptions,
    StudyProfileOptions,
    StudyReopenOptions,
    StudyShowOptions,
    StudyThirdOptions,
)
from reviewer.study.design.act_words import act_in_words
from reviewer.study.design.asking_third_votes import ask_third_votes, case_votes, one_sided_in_words
from reviewer.study.design.closing import reopen_study
from reviewer.study.design.design_facts import TOPICS, describe_study, design_facts
from reviewer.study.design.inclusion import inclusion_of
from reviewer.study.design.leads import name_lead
from reviewer.study.design.left_out_raters import count_again, leave_out
from reviewer.study.design.study_bundle import StudyBundle, load_frame, load_study
from reviewer.study.design.study_design import REOPENED
from reviewer.study.session.blinding import as_drawn_for, owed_by
from reviewer.study.session.rater_progress import StudyProgress, progress_of, study_progress
from store.database import Database
from store.links import is_valid, keep_link, links_of, new_link, revoke_links
from store.records import DescriptionTopic, Link
from store.studies import set_profile


def study_coefficients_command(options: StudyCoefficientsOptions) -> None:
    """``reviewer study coefficients``: which coefficients come first in a study's tables."""
    from reviewer.results.labels.coefficient_choice import (
        KNOWN,
        choose_first,
        first_coefficients,
        usual_order,
    )

    database = open_store(options.store)
    if options.usual and options.coefficients:
        raise RequestError("--usual goes back to the usual order; leave the coefficients out.")
    if options.usual or options.coefficients:
        keys = coefficient_keys(options.coefficients)
        act = choose_first(database, options.study, options.who, keys)
        note(f"{options.study}: {act_in_words(act)}.")
    order = usual_order((), first_coefficients(load_frame(database, options.study)))
    rows = [(key, KNOWN[key].symbol, KNOWN[key].title) for key in order]
    print_table(Table.of(("coefficient", "symbol", "title"), rows), options.form)


def study_describe_command(options: StudyDescribeOptions) -> None:
    """``reviewer study describe``: what the report says and only the study's lead knows."""
    database = open_store(options.store)
    given: dict[DescriptionTopic, str | None] = {
        "recruitment": options.recruitment,
        "independence": options.independence,
        "consent": options.consent,
    }
    texts = {topic: text for topic, text in given.items() if text is not None}
    if texts:
        described = describe_study(database, options.name, options.lead or own_name(), texts)
    else:
        described = load_frame(database, options.name).descriptions
    by_topic = {description.topic: description for description in described}
    rows = [
        (description.topic, description.text, description.who, description.at)
        for topic in TOPICS
        if (description := by_topic.get(topic))
    ]
    print_table(Table.of(("topic", "text", "who", "at"), rows), options.form)
    if missing := [topic for topic in TOPICS if topic not in by_topic]:
        note(f"Not described yet: {', '.join(missing)}. See `reviewer study describe --help`.")


def study_exclude_command(options: StudyExcludeOptions) -> None:
    """``reviewer study exclude``: leaves a rater out of a study's numbers."""
    database = open_store(options.store)
    act = leave_out(
        database, options.study, options.rater, options.who, options.why, withdraw=options.withdraw_labels
    )
    note(f"{options.study}: {act_in_words(act)}.")
    if (bundle := load_study(database, options.study, late=True)).design.third:
        note(*one_sided_in_words(bundle, case_votes(bundle, ())))
    if options.withdraw_labels:
        note("Releases that exist still have the labels; ask people who have a copy to use a later version.")


def study_include_command(options: StudyIncludeOptions) -> None:
    """``reviewer study include``: counts a rater again who was left out."""
    database = open_store(options.store)
    act = count_again(database, options.study, options.rater, options.who, options.why)
    note(f"{options.study}: {act_in_words(act)}.")


def study_lead_command(options: StudyLeadOptions) -> None:
    """``reviewer study lead``: names a lead of a study."""
    if os.environ.get("TEXTUAL_DRIVER"):  # set in the processes of browser windows
        raise RequestError("a browser window serves one rater; name the lead on the machine of the store.")
    act = name_lead(open_store(options.store), options.study, options.name, options.who)
    note(f"{options.study}: {act_in_words(act)}.")


DAYS = 30.0


def study_link_command(options: StudyLinkOptions) -> None:
    """``reviewer study link``: a secret link for a rater."""
    database = open_store(options.store)
    known = [assignment.rater for assignment in load_frame(database, options.study).raters]
    if options.rater not in known:
        raise RequestError(
            f"rater {options.rater!r} is not in study {options.study!r}, whose raters are {', '.join(known)}."
        )
    check_for_others(database, options.study, options.rater)
    if options.revoke:
        note(
            f"{counted(revoke_links(database, options.study, options.rater), 'link')} of "
            f"{options.rater} revoked."
        )
    else:
        print_new_link(
            database, options.study, options.rater, options.days, checked_address("--url", options.url)
        )


def checked_address(option: str, url: str) -> str:
    """A web address without a slash at its end; raises RequestError for anything else."""
    try:
        parts = urlsplit(url)
        right = parts.scheme in ("http", "https") and bool(parts.hostname) and url.isprintable()
    except ValueError:  # brackets that hold no address
        right = False
    if not right:
        raise RequestError(f"{option} {url!r} is not a web address; give one like https://example.org.")
    return url.rstrip("/")


def print_new_link(database: Database, study: str, rater: str, days: float, base: str) -> None:
    """Shown, then kept: a link that nobody could read opens nothing."""
    if output_is_closed():
        raise RequestError("the output is closed, and a link is shown only there; no link was made.")
    secret, link = new_link(study, rater, days)
    click.echo(f"{rater}: {base}/r/{secret}/")
    sys.stdout.flush()
    keep_link(database, link)
    note(f"Give this link to {rater} alone. It is valid until {link.expires_at[:10]} and is not shown again.")


def study_links_command(options: StudyLinksOptions) -> None:
    """``reviewer study links``: the links of a study."""
    database = open_store(options.store)
    load_frame(database, options.study)
    with database.read() as session:
        links = links_of(session, options.study)
    rows = [(link.rater, _link_state(link), link.made_at, link.expires_at, link.revoked_at) for link in links]
    print_table(Table.of(("rater", "state", "made_at", "expires_at", "revoked_at"), rows), options.form)


def _link_state(link: Link) -> str:
    if link.revoked_at is not None:
        return "revoked"
    return "valid" if is_valid(link) else "expired"


def study_list_command(options: StudyListOptions) -> None:
    """``reviewer study list``: the studies of the store."""
    studies = study_progress(open_store(options.store))
    rows = [
        (
            p.study.name,
            p.study.protocol,
            p.cases,
            p.questions,
            len(p.raters),
            p.study.view,
            p.study.seed,
            _study_state(p),
        )
        for p in studies
    ]
    columns = ("study", "protocol", "cases", "questions", "raters", "view", "seed", "state")
    print_table(Table.of(columns, rows), options.form)
    if not studies:
        note(
            "No studies yet. Example: reviewer study new pilot --dataset gpt-4o-mini --per-group 5 --seed 42"
        )


def _study_state(progress: StudyProgress) -> str:
    if progress.study.closed_at:
        return "closed"
    return "all done" if progress.finished else "open"


def study_pack_command(options: StudyPackOptions) -> None:
    """``reviewer study pack``: one file with all that one rater needs."""
    from reviewer.exchange.packs.pack import write_pack

    database = open_store(options.store)
    check_for_others(database, options.study, options.rater)
    pack = write_pack(database, options.study, options.rater, options.output, bare=options.bare)
    held = f", {counted(len(pack.events), 'event')} of {options.rater} so far" if pack.events else ""
    click.echo(
        f"{options.output}: {counted(len(pack.sample), 'case')}{held}, "
        f"{options.output.stat().st_size:,} bytes"
    )
    note(f"{options.rater} opens it with: reviewer review {options.output.name}")
    note(f"Bring it back with: reviewer merge {options.output.name}")


def study_profile_command(options: StudyProfileOptions) -> None:
    """``reviewer study profile``: what a rater tells of themselves."""
    database = open_store(options.store)
    load_frame(database, options.name)
    for value in (options.field, options.degree):
        if value is not None and (len(value) > 200 or not is_single_line(value)):
            raise RequestError("a field or degree is one line of at most 200 characters.")
    try:
        set_profile(
            database,
            options.name,
            options.rater,
            options.field or None,
            options.degree or None,
            options.years,
        )
    except KeyError as error:
        raise RequestError(
            f"rater {options.rater!r} is not in study {options.name!r}; "
            f"see `reviewer progress {options.name}`."
        ) from error


def study_reopen_command(options: StudyReopenOptions) -> None:
    """``reviewer study reopen``: a closed study takes verdicts again."""
    database = open_store(options.store)
    act = reopen_study(database, options.name, options.who, options.why)
    note(f"{options.name}: {act_in_words(act)}.")
    if load_frame(database, options.name).design.stop is not None:
        note(REOPENED)


def study_show_command(options: StudyShowOptions) -> None:
    """``reviewer study show``: a study's sample, design and questions."""
    database = open_store(options.store)
    person = viewer(database)
    bundle = as_drawn_for(database, load_study(database, options.name, late=True), person)
    owes = bool(owed_by([progress_of(database, options.name)], person))
    facts = design_facts(bundle)
    if options.only_design:
        print_table(Table.of(("design", "value"), facts), options.form)
        return
    note(*(f"{fact}: {value}" for fact, value in facts))
    note(*(act_in_words(act) for act in bundle.acts))
    print_table(_sample(bundle, hidden_from_viewer(database), owes=owes), options.form)
    if owes:
        note("You still have cases to answer, so roles, repeats and hidden generators are left out.")
    if bundle.design.answers:
        from reviewer.results.outcomes.answer_sources import source_remarks  # numpy takes a moment to load

        note(*source_remarks(database, bundle))
    if bundle.stale:
        number = len(bundle.stale)
        verb = agreeing(number, "is", "are")
        note(f"{counted(number, 'case')} {verb} stale: the content at its place in the dataset has changed.")


def _sample(bundle: StudyBundle, unnamed: Container[str], *, owes: bool) -> Table:
    """The sample. Raters who owe answers learn no roles, repeats or generators of ``unnamed`` datasets."""
    strata = inclusion_of(bundle).by_case()
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
            "stratum": strata[place.case].name if place.case in strata else None,
            "probability": strata[place.case].chance_of(place.case) if place.case in strata else None,
        }
        for place in bundle.sample
    ]
    hidden = {"role", "shown"} if owes else set()
    hidden |= set() if strata else {"stratum", "probability"}
    hidden |= {"generator" for place in bundle.sample if place.dataset in unnamed}
    columns = [name for name in rows[0] if name not in hidden]
    return Table.of(columns, [[row[name] for name in columns] for row in rows])


def study_third_command(options: StudyThirdOptions) -> None:
    """Carry out ``reviewer study third``."""
    asked = ask_third_votes(open_store(options.store), options.study, options.who)
    rows = [(act.subject, len(act.held), sum(act.unfinished.values())) for act in asked.acts]
    print_table(Table.of(("rater", "cases", "verdicts"), rows), options.form)
    note(*asked.remarks)
    if asked.acts:
        note(
            "Raters find these cases after their others. Who works in a pack needs a new one: "
            f"reviewer study pack {options.study} --rater RATER -o FILE"
        )
    else:
        note("Nobody was asked: no case with both votes needs a third one now.")
