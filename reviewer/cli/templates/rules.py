"""What the commands on templates share: the protocols that offer templates, and rules beside a file."""

from collections.abc import Iterable, Mapping

from reviewer.cli.options import note, protocols_here
from reviewer.core.sanitize import one_line
from reviewer.exchange.rows.template_files import gap_templates_of, unused_rules
from reviewer.protocols.base import Protocol
from reviewer.protocols.registry import the_only
from reviewer.protocols.templates.case_template import CaseTemplate
from reviewer.protocols.templates.template_plans import GapTemplates, SlotTemplates


def gap_templates() -> GapTemplates:
    """The templates with gaps of the only protocol that offers such; raises RequestError."""
    return gap_templates_of(protocols_here())


def slot_protocol() -> Protocol:
    """The only protocol with templates with slots; raises RequestError."""
    able = (protocol for protocol in protocols_here().values() if protocol.slot_templates())
    none, several = "no protocol has templates with slots.", "several protocols have templates with slots"
    return the_only(able, none, several)


def slot_templates() -> SlotTemplates:
    """Its templates; raises RequestError."""
    slots = slot_protocol().slot_templates()
    assert slots is not None
    return slots


def note_unused_rules(gaps: GapTemplates, beside: Mapping[str, CaseTemplate], groups: Iterable[str]) -> None:
    """Say which rules nothing used, such as those of a misspelled group."""
    if unused := unused_rules(gaps, beside, groups):
        note(f"Rules that nothing here uses: {', '.join(map(one_line, unused))}.")
