"""Rows in memory, independent of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _frames, _html, _native, _output
from ._typing import PathLike

if TYPE_CHECKING:
    from ._schema import Schema

_SHOWN_ROWS = 10


class Table:
    """Rows in memory. Any library that supports Arrow's C interface reads them:
    ``polars.DataFrame(table)``, ``pyarrow.table(table)``."""

    def __init__(self, native: _native.Table, schema: Schema) -> None:
        self._native = native
        self._schema = schema

    def __len__(self) -> int:
        return len(self._native)

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._native.types().names()

    def to_pandas(self) -> Any:
        """Returns the rows as a ``pandas.DataFrame``."""
        return _frames.into_kind(self._native, "pandas", None, self._schema)

    def to_polars(self) -> Any:
        """Returns the rows as a ``polars.DataFrame``."""
        return _frames.into_kind(self._native, "polars", None, self._schema)

    def to_pyarrow(self) -> Any:
        """Returns the rows as a ``pyarrow.Table``."""
        return _frames.into_kind(self._native, "pyarrow", None, self._schema)

    def write(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the rows to a file, in the format of its extension: .csv, .tsv, .parquet or
        .arrow. An existing file is replaced only with ``force``."""
        _output.check(path, force=force)
        self._native.write(path)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __repr__(self) -> str:
        types = self._native.types()
        columns = ", ".join(f"{name}: {kind}" for name, kind in zip(types.names(), types.types()))
        return f"<scumble.Table of {len(self):,} rows: {columns}>"

    def _repr_html_(self) -> str:
        shown = _html.table(self.columns, self._native.head(_SHOWN_ROWS))
        return _html.titled(f"{len(self):,} rows", shown)
