"""One rater at work: what is shown, in which order, and what a key does to the ledger."""
