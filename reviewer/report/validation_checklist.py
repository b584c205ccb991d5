"""What a reader of a validated benchmark asks: what is known and where it is seen, and what is missing.

The list is our own. Where a public one was read that asks the same, the row names it. An author's own text is
shown and never judged.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from reviewer.core.table import Table

State = Literal["known", "missing", "author's text", "only the author", "not in releases"]
_RAI = "Croissant RAI 1.0: rai:"


@dataclass(frozen=True, slots=True)
class ChecklistRow:
    """One question of a reader.

    ``see`` is the command that shows the answer, and ``add`` says how a missing one is given; both name
    {study}, {dataset} and {folder}. ``by_author``: nothing but an author's text answers it. ``also`` names a
    public list that asks the same.
    """

    key: str
    asks: str
    see: str
    add: str
    by_author: bool = False
    also: str = ""


def _told(key: str, asks: str, also: str) -> ChecklistRow:
    """A question that the text on a topic of a dataset answers."""
    add = f"reviewer datasets describe {{dataset}} --{key} TEXT"
    return ChecklistRow(key, asks, "reviewer datasets describe {dataset}", add, True, f"{_RAI}{also}")


def _of_lead(topic: str, asks: str) -> ChecklistRow:
    """A question that the text of a study's lead answers."""
    add = f"reviewer study describe {{study}} --{topic} TEXT"
    return ChecklistRow(topic, asks, "reviewer study describe {study}", add, True)


_SHOW, _REPORT = "reviewer study show {study}", "reviewer report {study} -o FOLDER"
_NEW = "choose it for the next study: reviewer study new --help"
_CLOSE = "reviewer study close {study}"
ROWS: Mapping[str, tuple[ChecklistRow, ...]] = {
    "Design and sample": (
        ChecklistRow("sample", "How were the judged cases drawn?", _REPORT, "reviewer study new --help"),
        ChecklistRow("population", "Out of how many cases?", _REPORT, _NEW),
        ChecklistRow("seed", "Can the draw be repeated?", _REPORT, _NEW),
        ChecklistRow("carry_over", "Do the numbers carry over to other cases?", _REPORT, _NEW),
        ChecklistRow(
            "planned",
            "Why this number of cases and raters?",
            "reviewer study plan --help",
            "say it in the paper; reviewer study plan computes what a number of cases can show",
            by_author=True,
        ),
    ),
    "People and pay": (
        ChecklistRow(
            "raters",
            "How many people judged, and how many each case?",
            _REPORT,
            "reviewer review {study} --rater NAME",
            also=f"{_RAI}annotationsPerItem",
        ),
        ChecklistRow(
            "profile",
            "What is known of their field, degree and experience?",
            _REPORT,
            "reviewer study profile --help",
            also=f"{_RAI}annotatorDemographics",
        ),
        _of_lead("recruitment", "How were they found, and were they paid?"),
        _of_lead("consent", "What did they consent to, and which ethics board approved it?"),
    ),
    "Instructions and training": (
        ChecklistRow(
            "questions",
            "What were they asked, word for word?",
            _REPORT,
            _NEW,
            also=f"{_RAI}dataAnnotationProtocol",
        ),
        ChecklistRow("guideline", "Which guidelines did they read?", _REPORT, _NEW),
        ChecklistRow("training", "Were they trained on cases with known answers?", _SHOW, _NEW),
        ChecklistRow("gold", "Were known answers hidden among the cases?", _SHOW, _NEW),
    ),
    "Independence and blinding": (
        _of_lead("independence", "Did they judge alone, and how are they related to the authors?"),
        ChecklistRow("blinding", "What was hidden until they had answered?", _REPORT, _NEW),
        ChecklistRow("order", "In which order did they see cases and sides?", _REPORT, _NEW),
        ChecklistRow(
            "platform",
            "In which programs were labels given?",
            _REPORT,
            "reviewer review {study} --rater NAME",
            also=f"{_RAI}dataAnnotationPlatform",
        ),
    ),
    "Agreement and disagreement": (
        ChecklistRow(
            "agreement",
            "How well do raters agree, with which uncertainty?",
            "reviewer agreement {study}",
            _CLOSE,
            also=f"{_RAI}dataAnnotationAnalysis",
        ),
        ChecklistRow("repeats", "Does a rater agree with themselves?", "reviewer agreement {study}", _NEW),
        ChecklistRow("settled", "How were disagreements settled?", "reviewer labels {study}", _CLOSE),
        ChecklistRow("open", "What has no final label?", "reviewer labels {study}", _CLOSE),
        ChecklistRow(
            "opinions",
            "Do experts confirm verdicts that were published with cases?",
            "reviewer judges {study}",
            "import cases with such verdicts, and ask experts the same question",
        ),
        ChecklistRow("careless", "Was there reason to doubt a rater's care?", _REPORT, _CLOSE),
        ChecklistRow("left_out", "Whose answers were left out, and why?", _REPORT, _CLOSE),
    ),
    "Audit and repairs": (
        ChecklistRow(
            "audit",
            "Did machines check every case, and what stands?",
            "reviewer audit {dataset}",
            "reviewer audit {dataset}",
            also=f"{_RAI}machineAnnotationTools",
        ),
        ChecklistRow(
            "changes",
            "Which cases were changed or withdrawn?",
            "reviewer datasets history {dataset}",
            "reviewer datasets history {dataset}",
        ),
    ),
    "Baselines and human level": (
        ChecklistRow(
            "baselines",
            "What do random and constant answers reach?",
            "reviewer effects RUN",
            "reviewer evaluate RUN {dataset} --model MODEL",
        ),
        ChecklistRow(
            "human",
            "How often do experts give the published answer?",
            "reviewer judges {study}",
            "import cases with published answers, and ask experts for the answer itself",
        ),
    ),
    "Data": (
        ChecklistRow(
            "origins",
            "Who wrote the cases?",
            "reviewer datasets",
            "reviewer import --help",
        ),
        ChecklistRow(
            "generation",
            "With which models, prompts and seeds were they generated?",
            "reviewer funnel RUN",
            "say it with reviewer datasets describe {dataset} --collection TEXT",
        ),
        _told("collection", "How were the cases collected?", "dataCollection"),
        ChecklistRow(
            "source",
            "What were they derived from?",
            "reviewer datasets describe {dataset}",
            "reviewer datasets describe {dataset} --source TEXT",
            by_author=True,
        ),
        ChecklistRow(
            "release",
            "Is there a sealed version?",
            "reviewer release list {dataset}",
            "reviewer release make {dataset} --version 1.0 -o FOLDER",
        ),
        ChecklistRow(
            "labels",
            "Are the labels published?",
            "reviewer checklist FOLDER, the folder of the release",
            "reviewer study describe {study} --consent TEXT, then reviewer release make {dataset} "
            "--version 1.1 -o FOLDER",
        ),
        _told("sensitive", "Is there personal or sensitive information?", "personalSensitiveInformation"),
    ),
    "Licence": (
        ChecklistRow(
            "licence",
            "Who may use it, and how is it cited?",
            "reviewer checklist FOLDER, the folder of a release",
            "reviewer release make {dataset} --version 1.0 -o FOLDER --licence NAME --author NAME "
            "--contact TEXT",
        ),
    ),
    "Limits and uses": (
        _told("limitations", "What can it not show?", "dataLimitations"),
        _told("biases", "What is over- or underrepresented?", "dataBiases"),
        _told("uses", "What is it meant for?", "dataUseCases"),
        _told("impact", "Which good and which harm could it do?", "dataSocialImpact"),
    ),
    "Maintenance": (
        _told("maintenance", "Who maintains it, and for how long?", "dataReleaseMaintenancePlan"),
    ),
}
"""The rows by area."""
_ASK = "ask the makers; in their store, reviewer checklist {study}"


@dataclass(frozen=True, slots=True)
class Checklist:
    """The answers by the key of their row, and the names that commands are filled in with."""

    answers: Mapping[str, str]
    names: Mapping[str, str]
    see: Mapping[str, str]
    """Key of a row → where its answer is seen, where that is not the row's own command."""
    add: Mapping[str, str] = field(default_factory=dict)
    """Key of a row → how a missing answer is given, where that is not the row's own way."""
    unsaid: frozenset[str] = frozenset()
    """Keys of rows on which a release says nothing, whatever its makers know."""

    def state(self, row: ChecklistRow) -> State:
        """Whether the row is answered, and by whom it can be."""
        if row.key in self.answers:
            return "author's text" if row.by_author else "known"
        if row.key in self.unsaid:
            return "not in releases"
        return "only the author" if row.by_author else "missing"

    def hint(self, row: ChecklistRow) -> str:
        """Where the answer is seen, or how it is given."""
        if row.key in self.answers:
            text = self.see.get(row.key, row.see)
        else:
            text = _ASK if row.key in self.unsaid else self.add.get(row.key, row.add)
        return text.format_map(self.names)


def checklist_table(checklist: Checklist) -> Table:
    """One line a row."""
    columns = ("area", "key", "question", "state", "answer", "command", "also_asked_by")
    rows = [
        (
            area,
            row.key,
            row.asks,
            checklist.state(row),
            checklist.answers.get(row.key, ""),
            checklist.hint(row),
            row.also,
        )
        for area, of_area in ROWS.items()
        for row in of_area
    ]
    return Table.of(columns, rows)


def checklist_lines(checklist: Checklist) -> Iterator[str]:
    """The rows for people, by area."""
    for area, rows in ROWS.items():
        yield f"{area}"
        for row in rows:
            state, answer = checklist.state(row), checklist.answers.get(row.key)
            also = f" (also asked by {row.also})" if row.also else ""
            yield f"  {row.asks}{also}"
            yield f"    {state}: {answer}" if answer else f"    {state}"
            yield f"    {'see' if answer else 'to add'}: {checklist.hint(row)}"
        yield ""
