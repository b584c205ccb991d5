"""Floor 1: agreement coefficients, intervals and pass rates. Arrays in, estimates out."""
