"""The tables of a study, each declared once: columns, types, meanings, and how people see them."""
