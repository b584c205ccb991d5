"""Floor 1: the door to language models, and the only importer of openai."""
