"""A study in which everything that blinding holds back has a mark of its own, at each of its states."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from reviewer.exchange.packs.pack import opened_pack, write_pack
from reviewer.protocols.evaluation import EvaluationPlan, conditions_of
from reviewer.protocols.judge_pairs.pairs_protocol import JudgePairs
from reviewer.protocols.judge_pairs.payloads import FIRST, RIGHT_ANSWER, SECOND
from reviewer.results.case_strata import StrataRequest, strata_of
from reviewer.runs.evaluation.evaluation_settings import EvaluationSettings
from reviewer.study.adjudication.adjudication_session import AdjudicationSession
from reviewer.study.design.closing import close_study
from reviewer.study.design.study_bundle import load_study
from reviewer.study.design.study_creation import Design, create_study
from reviewer.study.session.review_session import ReviewSession
from store.case_import import Entry, import_entries
from store.database import Database
from store.evaluations import Evaluations
from store.findings import CaseFindings, keep_case_findings
from store.records import Case, Dataset, Finding, Measurement, Membership, Outcome, Run, SampledCase
from tests.answer_pairs import a_pair
from tests.asked_judges import judged_by
from tests.studies import AT

GENERATOR, FINDING, OPINION, COMMENT = (
    "writer-of-it",
    "mark-of-a-finding",
    "answer that is right",
    "said-by-ben",
)
STRATA = f"value:{RIGHT_ANSWER}"
"""What the strata of the study are made by."""
REPLY, RUN = "reply-of-a-model", "asked"
VERDICT, JUDGES_RUN = "reason-of-a-judge", "pilot-judges"
DATASET, STUDY = "pairs", "pilot"
CASES = 3
STORE, PACK = "reviewer.db", "anna.review"

State = Literal["owed", "done", "finished", "closed"]


def blinded_study(folder: Path, state: State, *, lead: str, packed: bool = False) -> Path:
    """A store with a study of anna and ben, or anna's pack of it; the file.

    ``owed``: anna has answered one of her cases, and ben all. ``done``: it is the other way round.
    ``finished``: both have answered everything.
    ``closed``: the lead closed the study while anna owed answers. Zoe opened the disputes. Each is made once.
    """
    for name, content in _files(state, lead, packed).items():
        (folder / name).write_bytes(content)
    return folder / (PACK if packed else STORE)


@cache
def _files(state: State, lead: str, packed: bool) -> Mapping[str, bytes]:
    with TemporaryDirectory() as folder:
        path, pack = Path(folder) / STORE, Path(folder) / PACK
        path.write_bytes(_answered_by_ben(lead, only_one=state == "done"))
        database = Database.open(str(path), must_exist=True)
        if packed:
            write_pack(database, STUDY, "anna", pack)
            worked, _seal = opened_pack(pack)
            _answer(ReviewSession(worked, STUDY, "anna"), "first", only_one=state in ("owed", "closed"))
            worked.close()
        else:
            _answer(ReviewSession(database, STUDY, "anna"), "first", only_one=state in ("owed", "closed"))
            AdjudicationSession(database, STUDY, "zoe")
            if state == "closed":
                close_study(database, STUDY, "tom", "enough", anyway=True)
        database.close()
        return {made.name: made.read_bytes() for made in Path(folder).iterdir()}


@cache
def _answered_by_ben(lead: str, *, only_one: bool) -> bytes:
    """The file of a store with the study, in which ben has answered everything, or only one case."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / STORE
        database = Database.open(str(path))
        _import(database)
        strata = strata_of(database, [DATASET], StrataRequest((STRATA,)), lead)
        design = Design((DATASET,), None, 3, raters=("anna", "ben"), total=CASES, strata=strata)
        create_study(database, STUDY, design, lead=lead)
        judged_by(database, STUDY, reply_of=lambda case, question, repeat: f"{VERDICT}\nAnswer: 1")
        _answer(ReviewSession(database, STUDY, "ben"), "second", comment=COMMENT, only_one=only_one)
        database.close()
        return path.read_bytes()


def the_case(path: Path) -> str:
    """The digest of the last case of the sample, about which anna still owes an answer."""
    database = Database.open(str(path), must_exist=True)
    try:
        return load_study(database, STUDY).sample[-1].case
    finally:
        database.close()


def _answer(session: ReviewSession, side: str, *, comment: str = "", only_one: bool = False) -> None:
    for slot in session.slots:
        session.answer(side if slot.question == "right_result" else "True")
        if comment:
            session.comment(comment)
        if only_one:
            return


def _import(database: Database) -> None:
    cases = [a_pair(number) for number in range(CASES)]
    header = Dataset(name=DATASET, protocol="judge-pairs", source="a test", imported_at=AT)
    import_entries(database, header, [_entry(case, number) for number, case in enumerate(cases)])
    keep_case_findings(database, [_findings(case) for case in cases])
    _ask(database, cases[0])


def _ask(database: Database, case: Case) -> None:
    """An evaluation run that asked one model about one case."""
    settings = EvaluationSettings(datasets=(DATASET,), conditions={}, repeats=1)
    run = Run(
        procedure="evaluate",
        name=RUN,
        protocol="judge-pairs",
        settings=settings.model_dump(mode="json"),
        started_at=AT,
        created_by="tom",
    )
    sampled = SampledCase(
        run=RUN, place=0, dataset=DATASET, key="pair-0", digest=case.digest, generator=GENERATOR
    )
    condition = conditions_of(JudgePairs().procedure(EvaluationPlan).factors, {})[0].key
    outcome = Outcome(
        run=RUN,
        model="judge-1",
        case=0,
        condition=condition,
        repeat=0,
        state="unreadable",
        why="no label",
        reply=REPLY,
        reader_version=1,
        request="",
    )
    evaluations = Evaluations(database)
    evaluations.begin(run, [sampled], {"judge-1": ""})
    evaluations.keep([outcome])


def _entry(case: Case, number: int) -> Entry:
    place = Membership(
        dataset=DATASET,
        key=f"pair-{number}",
        case=case.digest,
        position=number,
        generator=GENERATOR,
        origin="generated",
    )
    right = Measurement(
        case=case.digest,
        name=RIGHT_ANSWER,
        source="published",
        dataset=DATASET,
        key=place.key,
        value=(FIRST, SECOND)[number % 2],
    )
    return Entry(case, place, (right,))


def _findings(case: Case) -> CaseFindings:
    mark = Measurement(case=case.digest, name="checks", source="measured", engine="a test", value="1")
    finding = Finding(
        case=case.digest,
        check="same_result",
        check_version=1,
        passed=False,
        severity="serious",
        why=FINDING,
        question="right_result",
    )
    return CaseFindings(mark, (), (finding,))
