"""A release as a task of other tools: inspect_ai, lm-evaluation-harness, Label Studio.

The files stand in a folder of their own beside the release, whose seal does not cover them. A sample has the
id that ``outcomes import`` reads, so that a log of the harness comes back with the conditions of each case.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Final
from xml.sax.saxutils import quoteattr

from reviewer.core.errors import RequestError
from reviewer.core.question import Question
from reviewer.exchange.evaluations.harness_logs import sample_id
from reviewer.exchange.rows.row_files import json_text
from reviewer.llm.request import ModelRequest
from reviewer.protocols.base import Protocol
from reviewer.protocols.evaluation import Condition, EvaluationPlan, NotAsked, conditions_of
from reviewer.protocols.formats import StoredCase
from reviewer.protocols.procedure import Prompts
from reviewer.protocols.work import Replies
from reviewer.results.labels.final_labels import ClosedStudy
from reviewer.runs.run_setup import read_prompts
from store.records import JsonValue

HARNESSES: Final = ("inspect", "lm-eval", "label-studio")
SAMPLES: Final = "samples.jsonl"
EXCLUDED: Final = "exclude.csv"
"""The cases to leave out, as ``release diff --exclusions`` lists them; at first none."""
_TITLE: Final = "RELEASE"
_NOT_A_NAME = re.compile(r"\W+")

Experts = Mapping[str, Mapping[str, JsonValue]]
"""Digest of a case → the final labels by question, and whether it passed."""


def expert_labels(studies: Sequence[ClosedStudy]) -> dict[str, dict[str, JsonValue]]:
    """The final labels of closed studies by the digest of the case; a later study replaces an earlier one."""
    found: dict[str, dict[str, JsonValue]] = {}
    for study in studies:
        passed = study.outcomes()
        labels: dict[str, dict[str, JsonValue]] = {}
        for final in study.finals:
            if final.label is not None:
                labels.setdefault(final.place.case, {})[final.question.key] = final.label
        found |= {case: {"labels": dict(of), "passed": passed.get(case)} for case, of in labels.items()}
    return found


def tasks_of(
    harnesses: Sequence[str],
    title: str,
    protocol: Protocol,
    cases: Sequence[StoredCase],
    studies: Sequence[ClosedStudy],
) -> dict[str, dict[str, bytes]]:
    """The files of the task for each harness; raises RequestError."""
    experts = expert_labels(studies) if harnesses else {}
    return {
        harness: _task_files(harness, title, protocol, cases, experts) for harness in dict.fromkeys(harnesses)
    }


def _task_files(
    harness: str, title: str, protocol: Protocol, cases: Sequence[StoredCase], experts: Experts
) -> dict[str, bytes]:
    """The files of a task by name; raises RequestError if the protocol has no task of this kind."""
    if harness == "label-studio":
        return _label_studio(protocol, cases)
    plan = protocol.procedure(EvaluationPlan)
    rows = list(_samples(plan, cases, experts))
    if not rows:
        raise RequestError(f"no case of {title} can be put to a model by a single question.")
    samples = {SAMPLES: "".join(map(json_text, rows)).encode()}
    if harness == "inspect":
        return samples | {"task.py": _template("inspect_task.txt").replace(_TITLE, _plain(title)).encode()}
    return samples | _lm_eval(title, list(dict.fromkeys(str(row["condition"]) for row in rows)))


def _template(name: str) -> str:
    return files(__package__).joinpath("templates", name).read_text(encoding="utf-8")


def _plain(title: str) -> str:
    """A title that is a name in Python and YAML."""
    return _NOT_A_NAME.sub("_", title).strip("_") or "released"


# -- samples ---------------------------------------------------------------------------------------


def _samples(
    plan: EvaluationPlan, cases: Sequence[StoredCase], experts: Experts
) -> Iterator[dict[str, JsonValue]]:
    """Each case under each usual condition, as it is put to a model by one request."""
    conditions = conditions_of(plan.factors, {})
    every = len(conditions_of(plan.factors, {factor.name: factor.values for factor in plan.factors}))
    sampled, prompts = plan.for_sample([stored.case for stored in cases]), read_prompts(plan.prompts)
    for stored in cases:
        facts = sampled.facts(stored.case, stored.published)
        for condition in conditions:
            request = _request(sampled, prompts, stored, condition)
            if request is None:
                continue
            yield {
                "id": sample_id(stored.place.key, condition, every),
                "key": stored.place.key,
                "group": stored.case.group,
                "condition": condition.key,
                "messages": [
                    {"role": message.role, "content": message.content} for message in request.messages
                ],
                "answers": dict(sampled.names(stored.case, condition)),
                "right": [
                    label
                    for label in sampled.labels(stored.case)
                    if sampled.is_wrong(facts, condition, label) is False
                ],
                "experts": dict(experts.get(stored.case.digest, {})),
            }


def _request(
    plan: EvaluationPlan, prompts: Prompts, stored: StoredCase, condition: Condition
) -> ModelRequest | None:
    """The request that puts a case to a model; None if it is not asked, or by several requests."""
    work = plan.answering(prompts, stored.case, condition)
    if isinstance(work, NotAsked):
        return None
    need = next(work)
    work.close()
    return need.requests[0] if isinstance(need, Replies) and len(need.requests) == 1 else None


# -- lm-evaluation-harness -------------------------------------------------------------------------


def _lm_eval(title: str, conditions: Sequence[str]) -> dict[str, bytes]:
    """The task and its functions. Conditions have metrics of their own."""
    names = {condition: f"right_{_plain(condition)}" for condition in conditions}
    metrics = "".join(
        f"  - metric: {name}\n    aggregation: !function functions.mean\n    higher_is_better: true\n"
        for name in dict.fromkeys(["right", *names.values()])
    )
    task = (
        f"task: {_plain(title)}\n"
        "custom_dataset: !function functions.load\n"
        f"dataset_kwargs:\n  exclude: {EXCLUDED}\n"
        "test_split: test\n"
        "output_type: generate_until\n"
        "doc_to_text: !function functions.question\n"
        'doc_to_target: ""\n'
        "generation_kwargs:\n  until: []\n  max_gen_toks: 1024\n"
        "process_results: !function functions.process_results\n"
        f"metric_list:\n{metrics}"
        "metadata:\n  version: 1.0\n"
    )
    functions = f"{_template('lm_eval_functions.txt')}NAMES = {json.dumps(names, ensure_ascii=False)}\n"
    return {
        f"{_plain(title)}.yaml": task.encode(),
        "functions.py": functions.encode(),
        EXCLUDED: b"key\n",
    }


# -- Label Studio ----------------------------------------------------------------------------------


def _label_studio(protocol: Protocol, cases: Sequence[StoredCase]) -> dict[str, bytes]:
    """Tasks with the texts of each case, and the configuration that asks the protocol's questions."""
    names = list(dict.fromkeys(name for stored in cases for name in stored.case.payload if name[0] != "_"))
    tasks: list[JsonValue] = [
        {"data": {"key": stored.place.key, "group": stored.case.group, **_texts(stored, names)}}
        for stored in cases
    ]
    return {
        "tasks.json": json_text(tasks, indent=1).encode(),
        "config.xml": _configuration(_asked(protocol, cases), names).encode(),
    }


def _texts(stored: StoredCase, names: Sequence[str]) -> dict[str, JsonValue]:
    values = {name: stored.case.payload.get(name) for name in names}
    return {
        name: value
        if isinstance(value, str)
        else ""
        if value is None
        else json.dumps(value, ensure_ascii=False)
        for name, value in values.items()
    }


def _asked(protocol: Protocol, cases: Sequence[StoredCase]) -> list[Question]:
    """The questions that are asked about any of the cases."""
    return [q for q in protocol.questions if any(protocol.asks(q, stored.case) for stored in cases)]


def _configuration(questions: Sequence[Question], names: Sequence[str]) -> str:
    """The form: each text, then each question. No text has the name of a question."""
    keys = {question.key for question in questions}
    shown = {name: f"text_{name}" if name in keys else name for name in names}
    lines, first = ["<View>"], shown[names[0]]
    for name, tag in shown.items():
        lines += [f"  <Header value={quoteattr(name)}/>", f'  <Text name="{tag}" value="${name}"/>']
    for question in questions:
        entry = f", entry {question.entry}" if question.entry else ""
        lines.append(f"  <Header value={quoteattr(question.title + entry)}/>")
        if question.answer_kind.is_written:
            lines.append(f'  <TextArea name="{question.key}" toName="{first}"/>')
            continue
        if question.answer_kind.is_marked:
            lines.append(f'  <Labels name="{question.key}" toName="{names[0]}">')
            lines += [f"    <Label value={quoteattr(label)}/>" for label in question.labels]
            lines.append("  </Labels>")
            continue
        many = "multiple" if question.answer_kind.any_number else "single"
        lines.append(f'  <Choices name="{question.key}" toName="{first}" choice="{many}">')
        lines += [f"    <Choice value={quoteattr(label)}/>" for label in question.labels]
        lines.append("  </Choices>")
    return "\n".join([*lines, "</View>", ""])
