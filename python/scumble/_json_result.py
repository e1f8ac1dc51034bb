"""Base class of results with a text and numbers."""

from __future__ import annotations

import copy
from typing import Any


class JsonResult:
    """A result: it prints as text, and :meth:`to_dict` returns its numbers."""

    def __init__(self, values: dict[str, Any], text: str) -> None:
        self._values = values
        self._text = text

    def to_dict(self) -> dict[str, Any]:
        """Returns all values, as the program prints them with ``--json``."""
        return copy.deepcopy(self._values)

    def __repr__(self) -> str:
        return self._text
