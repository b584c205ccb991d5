"""Evaluating models: outcomes, and what they amount to."""
