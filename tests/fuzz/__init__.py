"""The fuzzer: hostile input that a seed decides, and results that may never come of it.

``python -m tests.fuzz --seconds 300 --seed 1`` runs every target; ``make fuzz`` is that. A failing case is
kept as a folder with its input, the sentence or traceback, and the command that runs it again.
"""
