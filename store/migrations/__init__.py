"""Schema changes, oldest first; run when a store is opened."""

HEAD = "0027"
"""The newest revision under versions (a test compares them)."""
