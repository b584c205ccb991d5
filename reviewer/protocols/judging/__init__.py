"""Judges: models that answer the questions of a study about its cases, whatever protocol they are of."""
