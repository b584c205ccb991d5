"""The tables of results, each declared once: columns, types, meanings, and how people see them."""
