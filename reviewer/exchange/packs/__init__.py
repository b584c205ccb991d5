"""Packs and whole stores that travel: written, opened, merged, backed up."""
