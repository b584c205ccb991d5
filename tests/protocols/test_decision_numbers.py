"""The number of an option in a file of decisions: plain digits, and few of them."""

import pytest

from reviewer.core.errors import InputError
from reviewer.protocols.treatment_tests.decision_files import _decision


@pytest.mark.parametrize("value", ["\u0660\u0661", "9" * 5000, "\u00b2", "-1"])
def test_a_decision_in_other_digits_or_of_thousands_is_refused(value: str) -> None:
    with pytest.raises(InputError, match="not the number of an option from 0"):
        _decision(value, "line 1")
