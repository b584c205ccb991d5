"""``python -m tests.second_protocol.program WORDS``: the program with the second protocol, in a process."""

import sys

from reviewer.cli.main import main
from tests.second_protocol.material import PROTOCOLS

if __name__ == "__main__":
    sys.argv[0] = "reviewer"
    main(PROTOCOLS)
