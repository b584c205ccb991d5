"""Agreement coefficients, intervals and pass rates. Arrays in, estimates out."""
