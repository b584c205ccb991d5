"""Panes as lines of styled text: wrapping, comparing, colouring. Pure functions of a width; no widgets."""
