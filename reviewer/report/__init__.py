"""Tables and pages for people, from estimates and figures."""
