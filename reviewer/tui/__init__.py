"""Floor 5: the terminal app, and the only importer of textual."""
