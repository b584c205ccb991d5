"""One file per foreign format, read and write side by side."""
