"""Scenarios told at five levels of detail, whose choices are keyed: biased, unbiased or unrelated."""
