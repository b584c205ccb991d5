"""Adjudication of disagreements between raters: votes, comments, decisions."""
