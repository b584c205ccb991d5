"""Floor 4: one file per foreign format, read and write side by side."""
