"""Floor 0: plain values that are not kept (question, pane, text diff, estimate, errors)."""
