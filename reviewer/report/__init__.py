"""Floor 5: tables and pages for people, from estimates and figures."""
