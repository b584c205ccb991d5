"""Floor 2: one folder a protocol, behind one contract (base.py)."""
