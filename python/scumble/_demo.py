"""A made-up table to try everything on."""

from __future__ import annotations

from . import _native
from ._schema import Schema
from ._table import Table


def demo(rows: int = 10_000, seed: int = 1) -> tuple[Table, Schema]:
    """A made-up household survey, and the schema that says what is public about it. Nobody in it exists."""
    schema = Schema(_native.demo_schema())
    return Table(_native.demo_people(rows, seed), schema), schema
