"""Verdicts between machines: merges, synchronisation, pack manifests."""
