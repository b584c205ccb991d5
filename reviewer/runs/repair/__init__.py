"""Repairs of cases: candidate contents tried, proposed, and put in place."""
