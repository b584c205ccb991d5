"""Exchange of verdicts between machines: merges, synchronisation, pack manifests."""
