"""The file formats of pairs and of published judgements, as plain values."""
