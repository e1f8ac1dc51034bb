"""What results have in common that have a text and numbers."""

from __future__ import annotations

import copy
from typing import Any


class JsonResult:
    """A result: its text is how it is printed, and its numbers are in :meth:`to_dict`."""

    def __init__(self, values: dict[str, Any], text: str) -> None:
        self._values = values
        self._text = text

    def to_dict(self) -> dict[str, Any]:
        """All of it, as the program prints it with ``--json``."""
        return copy.deepcopy(self._values)

    def __repr__(self) -> str:
        return self._text
