"""What work will take. Measured figures in, estimates out."""
