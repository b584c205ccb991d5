"""Dialogs, each returning one typed value."""
