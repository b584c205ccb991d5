"""Schema changes, oldest first; run when a store is opened."""

HEAD = "0028"
"""The newest revision under versions (a test compares them)."""
