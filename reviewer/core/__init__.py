"""Plain values that are not kept (question, pane, text diff, estimate, errors)."""
