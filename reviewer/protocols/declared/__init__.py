"""A protocol declared in one TOML file: its tables, their faults, and the protocol that they make."""
