"""Types that several modules name."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, Union, runtime_checkable


@runtime_checkable
class ArrowStream(Protocol):
    """A table that can be handed over by Arrow's C interface: pandas, polars, pyarrow, duckdb and others have such."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


PathLike = Union[str, "os.PathLike[str]"]
"""A path, a glob, or the address of a PostgreSQL table."""

Data = Union[PathLike, Sequence[PathLike], ArrowStream, Any]
"""Paths, or a table. ``Any`` because not every library types its tables as ones that can be handed over."""

ProgressCallback = Callable[[str, int, int], None]
"""Is told a stage, how much is done, and of how much; 0 if nobody knows. Of the stage ``fitting`` these are milliseconds of processor time, used
and forecast."""

Kind = Literal["table", "pandas", "polars", "pyarrow", "duckdb"]
"""What synthetic rows come out as."""

SamplingName = Literal["matched", "low-variance", "independent"]
"""How rows are drawn."""

FormatName = Literal["csv", "tsv", "parquet", "arrow"]
"""How a file is written, if its name does not say."""

AccountingName = Literal["gdp", "zcdp", "pure"]
"""How the fits of a ledger are added up."""
