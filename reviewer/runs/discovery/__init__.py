"""Discovery runs: rounds that look for new entries of a library, written as they are completed."""
