"""Judges: models asked the questions of a study; their verdicts are outcomes."""
