"""A study: agreement, pass rates, raters, judges and final labels, from the labels that raters gave."""
