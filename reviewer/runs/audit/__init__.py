"""The audit: programs run and checked, measurements and findings kept and read back."""
