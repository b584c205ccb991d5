"""Loading the room stays cheap."""

import subprocess
import sys

SLOW = ("scipy", "krippendorff", "statsmodels", "sklearn", "pandas")


def test_import_loads_no_slow_library() -> None:
    script = f"import reviewer.agreement, sys; print([m for m in {SLOW} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
