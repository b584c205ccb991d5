"""Every target, in the order in which they run."""

from tests.fuzz import (
    bombs,
    child_replies,
    command_lines,
    label_files,
    model_replies,
    outcome_files,
    programs,
    stores,
)
from tests.fuzz.harness import Target

TARGETS = {
    target.name: target
    for target in (
        Target("programs", "gate against loader, shared against alone, audits", programs.opened),
        Target("stores", "damaged stores and packs: an answer or a sentence", stores.opened),
        Target("children", "replies of a Prolog child: in bounds, or garbled", child_replies.opened),
        Target("models", "replies of a model server: a reply or a sentence", model_replies.opened),
        Target(
            "labels", "files of labels of other tools: labels that fit, or a sentence", label_files.opened
        ),
        Target(
            "outcomes",
            "files of outcomes of every layout: outcomes that fit, or a sentence",
            outcome_files.opened,
        ),
        Target("bombs", "small files that unpack to large ones: a sentence, in little memory", bombs.opened),
        Target("commands", "no traceback; nothing written with exit code 2", command_lines.opened),
    )
}
