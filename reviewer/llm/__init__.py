"""Floor 1: the client for language models, and the only importer of openai."""
