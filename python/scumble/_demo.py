"""A made-up table to try the package on."""

from __future__ import annotations

from . import _native
from ._schema import Schema
from ._table import Table


def demo(rows: int = 10_000, seed: int = 1) -> tuple[Table, Schema]:
    """Returns a made-up household survey and its schema. Nobody in it exists."""
    schema = Schema(_native.demo_schema())
    return Table(_native.demo_people(rows, seed), schema), schema
