"""An evaluation: effects, contrasts, divisions, baselines and hard cases, from the outcomes of its models."""
