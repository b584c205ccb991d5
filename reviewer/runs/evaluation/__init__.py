"""Evaluating models: they are asked under conditions, and every outcome is kept."""
