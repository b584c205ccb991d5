"""The terminal app; the only folder that imports Textual."""
