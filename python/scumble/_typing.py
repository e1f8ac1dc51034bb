"""Types shared by several modules."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, Union, runtime_checkable


@runtime_checkable
class ArrowStream(Protocol):
    """A table that supports Arrow's C interface, such as those of pandas, polars, pyarrow and
    duckdb."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


PathLike = Union[str, "os.PathLike[str]"]
"""A path, a glob, or the address of a PostgreSQL table."""

Data = Union[PathLike, Sequence[PathLike], ArrowStream, Any]
"""Paths, or a table. ``Any`` because not every library declares the interface in its types."""

ProgressCallback = Callable[[str, int, int], None]
"""Called with a stage, the amount done and the total, 0 if unknown. In the stage ``fitting`` these are milliseconds of processor time, used
and forecast."""

Kind = Literal["table", "pandas", "polars", "pyarrow", "duckdb"]
"""Kind of table that synthetic rows are returned as."""

SamplingName = Literal["matched", "low-variance", "independent"]
"""Sampling method."""

FormatName = Literal["csv", "tsv", "parquet", "arrow"]
"""Format of a file; by default, inferred from its name."""

AccountingName = Literal["gdp", "zcdp", "pure"]
"""Accounting of the fits of a ledger."""
