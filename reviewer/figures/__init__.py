"""The figures of a study: agreement, pass rates, coefficients, disagreements; the only home of matplotlib."""
