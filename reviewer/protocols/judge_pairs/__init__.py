"""Pairs of answers to one question, with which models are tested as judges."""
