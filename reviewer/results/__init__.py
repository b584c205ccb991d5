"""Results. Labels and outcomes become estimates, and estimates become tables."""
