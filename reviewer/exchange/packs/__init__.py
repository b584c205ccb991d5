"""Packs and stores as files: written, opened, merged, backed up."""
