"""One folder a protocol, behind one contract (base.py)."""
