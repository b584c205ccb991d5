"""Which engine runs programs here."""

from reviewer.oracle import pool


def engine_here() -> tuple[str, tuple[str, ...]]:
    """Name and version, and the calibration goals that it counts otherwise than 9.2; raises OracleMissing."""
    version, calibration = pool.calibration()
    return f"swipl {version}", calibration.differing
