"""Evaluations of models in files: outcomes and results of others read, and ours written."""
