"""The funnels that the PROBE-SWE paper published: candidates discarded by its filters, for each model.

The numbers are from its table 2 (appendix F). The number of valid pairs is known only for the model whose
dataset is available.
"""

from reviewer.protocols.generation import PublishedRun

LOGIC = "logic correctness"
INTRA = "intra-dilemma similarity"
ALIGNMENT = "Prolog-text alignment"
OUTPUT = "output matching"
PRESENCE = "bias presence"
INTER = "inter-dilemma similarity"
FILTERS = (LOGIC, INTRA, ALIGNMENT, OUTPUT, PRESENCE, INTER)


def _run(name: str, valid: int | None, *discarded: int) -> PublishedRun:
    return PublishedRun(name, valid, dict(zip(FILTERS, discarded, strict=True)))


PUBLISHED = (
    _run("GPT-4o mini", 790, 1026, 1367, 743, 516, 741, 79),
    _run("GPT-4.1 mini", None, 1283, 764, 404, 203, 265, 41),
    _run("DeepSeek R1 Distill Llama 70B", None, 2974, 2840, 354, 563, 569, 117),
)
