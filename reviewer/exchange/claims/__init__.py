"""A paper's numbers in a file: each as it was printed, beside the table that gives it."""
