"""Runs the tasks that ``release make --for`` wrote, by the real harnesses, against a server on this machine.

Usage: python -m tests.harnesses.run_tasks FOLDER-inspect FOLDER-lm-eval. It prints the share right by
condition of each, as JSON. ``--serve SECONDS`` serves the same answers instead, for `reviewer evaluate`.
"""

import json
import os
import sys
import time
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.harnesses.loopback import answering, by_length
from tests.harnesses.make_logs import without_tokenisers


def of_inspect(folder: Path, address: str) -> dict[str, float]:
    """Share right by condition, by the task's own scorer."""
    from inspect_ai import eval as evaluated
    from inspect_ai.model import get_model

    without_tokenisers()
    model = get_model("openai/m1", base_url=address, api_key="none", responses_api=False)
    with TemporaryDirectory() as logs, chdir(folder):
        (log,) = evaluated("task.py", model=model, log_dir=logs, display="none")
    assert log.status == "success", log.error
    (score,) = (score for score in log.results.scores if score.name == "right_label")
    return {name: round(metric.value, 6) for name, metric in score.metrics.items()}


def of_lm_eval(folder: Path, address: str) -> dict[str, float]:
    """Share right in all and by condition, by the task's own functions."""
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    (task,) = folder.glob("*.yaml")
    arguments = f"model=m1,base_url={address}/chat/completions,num_concurrent=1,tokenized_requests=False"
    results: Any = simple_evaluate(
        model="local-chat-completions",
        model_args=arguments,
        tasks=[task.stem],
        task_manager=TaskManager(include_path=str(folder), include_defaults=False),
        apply_chat_template=True,
        bootstrap_iters=0,
    )
    values = results["results"][task.stem]
    return {name: round(value, 6) for name, value in values.items() if isinstance(value, float)}


def main() -> None:
    """Run the tasks, or serve answers."""
    os.environ |= {"OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1"}
    with answering(by_length) as address:
        if sys.argv[1] == "--serve":
            print(address, flush=True)
            time.sleep(float(sys.argv[2]))
            return
        of_tools = {"inspect": of_inspect, "lm-eval": of_lm_eval}
        for argument in sys.argv[1:]:
            tool = next(name for name in of_tools if argument.rstrip("/").endswith(f"-{name}"))
            print(json.dumps({tool: of_tools[tool](Path(argument).absolute(), address)}))


if __name__ == "__main__":
    main()
