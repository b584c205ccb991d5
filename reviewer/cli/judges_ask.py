"""``reviewer judges ask``: models answer the questions of a study; a stopped run resumes."""

from dataclasses import replace

from reviewer.cli.carry_on import run_to_end
from reviewer.cli.evaluate import sampling_options
from reviewer.cli.printing import note, print_table
from reviewer.cli.store_access import open_store
from reviewer.cli.viewer import viewer
from reviewer.core.errors import RequestError, Unfinished
from reviewer.exchange.evaluations.judged_sample import study_sample, whole_dataset
from reviewer.options.judges import JudgesAskOptions
from reviewer.options.shared import own_name
from reviewer.protocols.judging.judge_plan import JUDGE_PROMPTS
from reviewer.results.outcomes.run_answers import all_answers, is_run_of
from reviewer.runs.evaluation.evaluation_settings import DrawnSample
from reviewer.runs.evaluation.evaluation_setup import EvaluationRequest, PreparedEvaluation
from reviewer.runs.judging.judging_setup import JudgingRequest, new_judging, stored_judging, usual_run_name
from reviewer.runs.run_setup import read_prompts
from reviewer.study.design.study_bundle import StudyBundle, load_study
from reviewer.study.session.blinding import why_not_ask_judges
from reviewer.study.session.rater_progress import progress_of
from store.database import Database
from store.runs import find_run


def judges_ask_command(options: JudgesAskOptions) -> None:
    """Carry out ``reviewer judges ask``."""
    run = options.run or usual_run_name(options.name, options.all_of or "")
    evaluation = EvaluationRequest(
        run,
        options.asked,
        repeats=options.repeats,
        sampling=sampling_options(temperature=options.temperature, max_tokens=options.max_tokens) or None,
    )
    request = JudgingRequest(options.name, evaluation, options.questions, options.all_of or "")
    database = open_store(options.store)
    prepared = _prepared(database, request, options)
    progress = run_to_end(prepared, options)
    if progress is None:
        return
    print_table(progress.table, options.form)
    note(f"{progress.sentence} See: reviewer judges {options.name}")
    if progress.failed:
        note(f"To ask again for what is missing: {prepared.run.command}")
        raise Unfinished(progress.failed[0])


def _prepared(database: Database, request: JudgingRequest, options: JudgesAskOptions) -> PreparedEvaluation:
    """The stored run, or a new one over the cases that are asked about; nothing is written."""
    if why := why_not_ask_judges(progress_of(database, request.study), viewer(database)):
        raise RequestError(why)
    bundle = load_study(database, request.study, late=True)
    prompts = None if options.folder is None else read_prompts(JUDGE_PROMPTS, options.folder)
    request = replace(request, evaluation=replace(request.evaluation, prompts=prompts))
    with database.read() as session:
        stored = find_run(session, request.evaluation.name)
    if stored is not None:
        offline = options.dry_run or options.models.replay
        endpoint = None if offline else options.models.settings().endpoint.url
        return stored_judging(database, request, stored, endpoint)
    beyond = request.all_of
    return new_judging(database, request, bundle.study, _drawn(database, bundle, beyond), own_name())


def _drawn(database: Database, bundle: StudyBundle, beyond: str) -> DrawnSample:
    """The cases to judge: those of the study, or all answers of its run, or all cases of a dataset."""
    if not beyond:
        return study_sample(bundle)
    if is_run_of(bundle, beyond):
        return all_answers(database, bundle)
    return whole_dataset(database, bundle, beyond)
