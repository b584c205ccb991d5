"""The machine's work (audit, generation, evaluation), resumable and written as it goes."""
