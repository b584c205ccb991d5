"""People's work (sampling, the review session, adjudication, transfer, integrity)."""
