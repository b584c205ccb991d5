"""Labels that were given in other tools: read as rows, matched with cases and raters, stored as events."""
