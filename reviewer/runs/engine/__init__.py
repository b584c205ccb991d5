"""The engine of runs: fulfils what works need, whatever procedure they belong to."""
