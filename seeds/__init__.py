"""Hand-written seed corpora, shipped as data."""
