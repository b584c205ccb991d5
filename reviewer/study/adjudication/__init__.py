"""Adjudication of disagreements between raters, and the final labels."""
