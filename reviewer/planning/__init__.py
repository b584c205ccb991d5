"""Floor 2: what work will take. Measured figures in, estimates out."""
