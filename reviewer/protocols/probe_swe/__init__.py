"""PROBE-SWE: pairs of software-engineering dilemmas, one of them with a biasing cue, decided by Prolog."""
