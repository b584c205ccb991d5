"""One rater at work: what is shown, in which order, and which events a key writes to the ledger."""
