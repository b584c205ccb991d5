"""Widgets that the screens share; each speaks through messages nested in it."""
