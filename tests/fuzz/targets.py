"""Every target, in the order in which they run."""

from tests.fuzz import command_lines
from tests.fuzz.harness import Target

TARGETS = {
    target.name: target
    for target in (
        Target("commands", "no traceback; nothing written with exit code 2", command_lines.opened),
    )
}
