"""People's work (sampling, the review session, progress, results)."""
