"""A study's numbers: agreement, pass rates, differences, raters, second verdicts."""
