"""Floor 1: Prolog, in worker processes."""
