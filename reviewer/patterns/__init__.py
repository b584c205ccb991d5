"""Regular expressions from outside, searched for within a limit of time."""
