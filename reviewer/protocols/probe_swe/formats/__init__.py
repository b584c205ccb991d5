"""Files of PROBE-SWE: the published JSON, the seed corpus, and how its authors name things."""
