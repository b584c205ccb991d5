"""The client for language models, and the only importer of openai."""
