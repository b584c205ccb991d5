"""Tests of cognitive biases: a control, a treatment with a cue, and one score for both decisions."""
