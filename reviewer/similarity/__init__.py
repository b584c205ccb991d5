"""Embeddings, edit distance and collision search. Models load when a text is first encoded."""
