"""A study written out: tables, codebook, labels."""
