"""Writes the logs that the tests of ``outcomes import --as`` read, by the real harnesses at pinned versions.

``make harness-logs`` runs it in an environment of its own. It asks a server on this machine about the shipped
example control_treatment, each case under both conditions.
"""

import csv
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.harnesses.loopback import answering  # noqa: E402

FOLDER = ROOT / "tests/exchange/data/harnesses"
SHOWN = "{version}\n\nA: {option_1}\nB: {option_2}\n\nWhich option do you choose? Answer with its letter."
TASK = """\
task: control_treatment
dataset_path: json
dataset_kwargs:
  data_files: {file}
test_split: train
output_type: generate_until
doc_to_text: "{{{{prompt}}}}"
doc_to_target: ""
generation_kwargs:
  until: []
  max_gen_toks: 64
metric_list:
  - metric: bypass
"""


def samples() -> Iterator[tuple[str, str]]:
    """Id and prompt of each case under each condition."""
    path = ROOT / "seeds/own_benchmark/control_treatment.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for version in ("control", "treatment"):
                text = SHOWN.format(version=row[version], **{n: row[n] for n in ("option_1", "option_2")})
                yield f"{row['bias']}/{row['number']} @ {version}", text


class _Words:
    """Stands for a tokeniser, whose tables would be fetched from the internet."""

    def encode(self, text: str, **_: Any) -> list[int]:
        return list(range(len(text.split())))


def without_tokenisers() -> None:
    """Let inspect_ai count words in place of tokens."""
    import tiktoken

    for name in ("get_encoding", "encoding_for_model"):
        setattr(tiktoken, name, lambda *_: _Words())


def inspect_log(address: str, folder: Path) -> None:
    """The log of inspect_ai in JSON, and the same in its packed form."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluated
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.log import read_eval_log, write_eval_log
    from inspect_ai.model import get_model
    from inspect_ai.solver import generate

    without_tokenisers()
    dataset = MemoryDataset([Sample(id=name, input=prompt) for name, prompt in samples()], name="pairs")
    model = get_model("openai/m1", base_url=address, api_key="none", responses_api=False)
    with TemporaryDirectory() as logs:
        task = Task(dataset=dataset, solver=generate(), name="pairs")
        evaluated(task, model=model, log_dir=logs, log_format="json", display="none", log_model_api=False)
        shutil.copy(next(Path(logs).glob("*.json")), folder / "inspect.json")
    write_eval_log(read_eval_log(str(folder / "inspect.json")), str(folder / "inspect.eval"))


def lm_eval_samples(address: str, folder: Path) -> None:
    """The samples of lm-evaluation-harness."""
    from lm_eval import simple_evaluate
    from lm_eval.loggers import EvaluationTracker
    from lm_eval.tasks import TaskManager

    with TemporaryDirectory() as work:
        rows = Path(work) / "pairs.jsonl"
        lines = (json.dumps({"id": name, "prompt": prompt}) for name, prompt in samples())
        rows.write_text("\n".join(lines) + "\n", encoding="utf-8")
        (Path(work) / "control_treatment.yaml").write_text(TASK.format(file=rows), encoding="utf-8")
        tracker = EvaluationTracker(output_path=f"{work}/out")
        results = simple_evaluate(
            model="local-chat-completions",
            model_args=f"model=m1,base_url={address}/chat/completions,num_concurrent=1,tokenized_requests=False",
            tasks=["control_treatment"],
            task_manager=TaskManager(include_path=work, include_defaults=False),
            apply_chat_template=True,
            log_samples=True,
            bootstrap_iters=0,
        )
        tracker.save_results_aggregated(results=results, samples=results["samples"])
        tracker.save_results_samples(
            task_name="control_treatment", samples=results["samples"]["control_treatment"]
        )
        shutil.copy(next(Path(work).rglob("samples_*.jsonl")), folder / "lm_eval.jsonl")


def batch_output(address: str, folder: Path) -> None:
    """Answers as OpenAI's client reads them, each in the frame of a line of a batch's output file."""
    from openai import OpenAI

    client = OpenAI(base_url=address, api_key="none")
    with (folder / "openai_batch.jsonl").open("w", encoding="utf-8") as file:
        for number, (name, prompt) in enumerate(samples()):
            messages: Any = [{"role": "user", "content": prompt}]
            body = client.chat.completions.create(model="m1", messages=messages).model_dump(mode="json")
            response = {"status_code": 200, "request_id": f"r{number}", "body": body}
            line = {"id": f"b{number}", "custom_id": name, "response": response, "error": None}
            file.write(json.dumps(line) + "\n")


def main() -> None:
    """Write all of them."""
    os.environ |= {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1"}
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (
        answering() as address,
        TemporaryDirectory() as elsewhere,
        chdir(elsewhere),
    ):  # logs name a folder's origin
        for write in (batch_output, inspect_log, lm_eval_samples):
            write(address, FOLDER)


if __name__ == "__main__":
    main()
