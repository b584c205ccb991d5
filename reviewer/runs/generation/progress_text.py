"""The progress of a run in words: the same on the command line and on screen."""

from reviewer.core.number_text import fixed, whole
from reviewer.core.sanitize import counted
from reviewer.llm.usage import Usage
from reviewer.runs.generation.run_progress import GroupProgress, RunProgress


def sentence_of(progress: RunProgress) -> str:
    """How far a run is, in a sentence."""
    wanted = sum(group.target for group in progress.groups)
    return f"{progress.valid:,} valid of {progress.tried:,} tried, {wanted:,} wanted."


def state_of(group: GroupProgress) -> str:
    """Whether a group is done, given up or open."""
    if group.given_up:
        return "given up"
    return "open" if group.is_open else "done"


def discarded_in_words(progress: RunProgress) -> str:
    """The number of candidates discarded at each step so far."""
    counts = (f"{step.replace('_', ' ')} {count}" for step, count in progress.discarded.items())
    return f"discarded: {', '.join(counts) or 'none'}"


def spent_in_words(spent: Usage) -> str:
    """Calls, tokens, cost and rate."""
    without_price = f" and {counted(spent.unpriced, 'call')} without a price" if spent.unpriced else ""
    guessed = f" (estimated from the text for {counted(spent.estimated, 'call')})" if spent.estimated else ""
    parts = [
        f"{counted(spent.sent, 'call')} ({spent.in_flight} under way, {spent.from_rows:,} answered from the "
        "store)",
        f"{spent.prompt_tokens + spent.completion_tokens:,} tokens{guessed}",
        f"cost {fixed(spent.cost, 4)}{without_price}",
    ]
    if spent.calls_a_minute is not None:
        parts.append(f"{whole(spent.calls_a_minute)} calls a minute")
    return ", ".join(parts)


def time_left(progress: RunProgress, gained: int, seconds: float) -> str:
    """The time left if valid cases keep coming at the same rate: ``gained`` cases in ``seconds``."""
    return time_for(progress.missing, gained, seconds)


def time_for(missing: int, gained: int, seconds: float) -> str:
    """The time left for what is missing, at the present rate: ``gained`` in ``seconds``."""
    if gained <= 0:
        return "time left: not known yet"
    minutes = seconds / gained * missing / 60
    return f"time left: about {whole(minutes)} min" if minutes >= 1 else "time left: under a minute"
