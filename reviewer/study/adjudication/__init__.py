"""Deciding where raters disagree, and the final labels."""
