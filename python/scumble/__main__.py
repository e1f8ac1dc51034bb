"""The command line: ``python -m scumble``, and the program ``scumble``."""

import sys

from ._native import main as _run


def main() -> int:
    """Runs the command line, and returns the exit code."""
    return _run(["scumble", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
