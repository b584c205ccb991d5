"""Loading the room stays cheap."""

import subprocess
import sys
from pkgutil import iter_modules

import reviewer.agreement

SLOW = ("scipy", "krippendorff", "statsmodels", "sklearn", "pandas")


def test_import_loads_no_slow_library() -> None:
    names = [module.name for module in iter_modules(reviewer.agreement.__path__, "reviewer.agreement.")]
    script = f"import sys, {', '.join(names)}; print([m for m in {SLOW} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
