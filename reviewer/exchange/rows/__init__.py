"""Files of cases and answers that come in and go out."""
