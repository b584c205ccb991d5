"""Screens, one file each, with the modules that they share."""
