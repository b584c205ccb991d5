"""Floor 3: people's work (sampling, the review session, progress, results)."""
