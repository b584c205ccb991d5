"""Keys: what each does, which can be remapped, and how settings are applied."""
