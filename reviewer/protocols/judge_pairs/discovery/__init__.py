"""Discovery of judge biases: rewrites, judgements, named biases, merging, validation, rounds."""
