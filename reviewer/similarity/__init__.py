"""Floor 1: embeddings, edit distance and collision search."""
