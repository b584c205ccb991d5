"""Templates of cases: texts with gaps that a model fills, and texts with slots that are sampled."""
