"""Schema changes, oldest first; run when a store is opened."""
