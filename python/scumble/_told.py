"""What results have in common that are told in words and in numbers."""

from __future__ import annotations

import copy
from typing import Any


class Told:
    """A result: its text is how it is printed, and its numbers are in :meth:`to_dict`."""

    def __init__(self, told: dict[str, Any], text: str) -> None:
        self._told = told
        self._text = text

    def to_dict(self) -> dict[str, Any]:
        """All of it, as the program prints it with ``--json``."""
        return copy.deepcopy(self._told)

    def __repr__(self) -> str:
        return self._text
