"""Conversion from and to tables of other libraries.

A library is imported only if a table of its kind is given or requested.

A synthetic table takes column names and deliberately chosen types from the real one, such as
categorical or 16 bits wide. Everything that depends on rows comes from the schema: the categories,
and whether a column can have missing values.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast, get_args

from . import _native, _pandas
from ._errors import UsageError
from ._typing import Data, Kind

if TYPE_CHECKING:
    from ._schema import Schema

_MODULES: dict[str, Kind] = {
    "pandas": "pandas",
    "polars": "polars",
    "pyarrow": "pyarrow",
    "duckdb": "duckdb",
    "_duckdb": "duckdb",
    "scumble": "table",
}

_MAX_PIECES = 10_000
"""A frame in more pieces is handed over as one: each piece has hardly any rows."""


_UNKNOWN = b"\xff"
"""Bytes that no schema lists, because a schema is UTF-8."""


class Source:
    """Input data in a form that the native module reads, and the kind and types that synthetic rows
    get."""

    def __init__(self, data: Data) -> None:
        self.kind: Kind = "table"
        self.types: _native.Types | None = None
        self.dtypes: dict[str, Any] = {}
        self.native: object = paths_of(data)
        if self.native is None:
            self._take(data)

    def _take(self, table: Any) -> None:
        self.kind = _kind_of(table)
        if self.kind == "pandas":
            self.dtypes = {str(name): _without_categories(dtype) for name, dtype in table.dtypes.items()}
            self.native = _pandas.table(table, _import("pyarrow", "pandas"))
        elif self.kind == "polars":
            if hasattr(table, "collect"):
                table = table.collect()
            self.dtypes = {name: _without_categories(dtype) for name, dtype in table.schema.items()}
            self.native = _polars_rows(table)
        elif self.kind == "duckdb":
            self.native = _relation(table)
        elif hasattr(table, "__arrow_c_stream__"):
            self.native = table
        else:
            raise UsageError(
                f"a `{type(table).__name__}` is not a table",
                hint="give paths, or a table of pandas, polars, pyarrow, duckdb or any other library with `__arrow_c_stream__`",
            )
        self.types = _types(table, self.kind)


def _polars_rows(frame: Any) -> object:
    """Returns a frame of polars with types that the native module reads. polars hands over objects
    as memory addresses, and has types of its own for 128-bit integers and columns of nulls. Nested
    values are unknown."""
    import polars

    objects = [(name, frame[name].to_list()) for name, dtype in frame.schema.items() if dtype == polars.Object]
    nested = [name for name, dtype in frame.schema.items() if dtype.is_nested()]
    own = [name for name, dtype in frame.schema.items() if dtype in (polars.Int128, polars.UInt128, polars.Null)]
    plain = frame.drop([name for name, _ in objects]) if objects else frame
    if nested or own:
        plain = plain.with_columns(
            *(polars.when(polars.col(name).is_not_null()).then(polars.lit(_UNKNOWN)).alias(name) for name in nested),
            *(polars.col(name).cast(polars.String) for name in own),
        )
    if not objects:
        return _pieces(plain)
    return _native.Table.with_objects(plain if plain.width else None, frame.height, objects)


def _polars_types(schema: Mapping[str, Any]) -> _native.Types:
    """Returns the types of a polars frame. Object columns count as text, which they mostly are."""
    import polars

    shown = {polars.Object: polars.String, polars.Int128: polars.Int64, polars.UInt128: polars.Int64}
    return _native.Types.of(polars.DataFrame(schema={name: shown.get(dtype, dtype) for name, dtype in schema.items()}))


def _pieces(frame: Any) -> list[Any]:
    """Splits a frame of polars at the chunks of its columns: handed over whole, it would be copied
    into one chunk first."""
    ends: set[int] = {frame.height}
    for column in frame.get_columns():
        end = 0
        for length in column.chunk_lengths():
            end += length
            ends.add(end)
    if len(ends) > _MAX_PIECES:
        return [frame]
    pieces, start = [], 0
    for end in sorted(ends):
        if end > start or end == frame.height:
            pieces.append(frame.slice(start, end - start))
        start = end
    return pieces


def _without_categories(dtype: Any) -> Any:
    """Returns the type without the values that a categorical one lists: those occur in the
    table."""
    if type(dtype).__name__ == "CategoricalDtype":
        return type(dtype)(None, ordered=dtype.ordered)
    return type(dtype)([]) if type(dtype).__name__ == "Enum" else dtype


def types_of(data: Data) -> object:
    """Returns paths, or the names and types of a table's columns: all that a draft of a schema may
    see."""
    paths = paths_of(data)
    if paths is not None:
        return paths
    table: Any = data
    kind = _kind_of(table)
    if kind == "pandas":
        return _pandas.types(table, _import("pyarrow", "pandas"))
    types = _types(table, kind)
    return types if types is not None else _native.Types.of(Source(data).native)


def _types(table: Any, kind: Kind) -> _native.Types | None:
    """Returns the Arrow types of a table's columns, if known without reading it. pandas types say
    more than these."""
    if kind == "pandas":
        return None
    if kind == "polars":
        return _polars_types(table.collect_schema())
    if kind == "duckdb":
        return _native.Types.of(_relation(table.limit(0)))
    typed = next((one for one in (table, getattr(table, "schema", None)) if hasattr(one, "__arrow_c_schema__")), None)
    return None if typed is None else _native.Types.of(typed)


def into_kind(table: _native.Table, kind: Kind, source: Source | None, schema: Schema) -> Any:
    """Converts synthetic rows into a table of this kind, with the types of the source if it is of
    the same kind."""
    if kind not in get_args(Kind):
        raise UsageError(f"there is no kind of table `{kind}`", hint=f"choose one of {', '.join(get_args(Kind))}")
    like = source if source is not None and source.kind == kind else None
    if like is not None and like.types is not None:
        table = table.like(like.types)
    if kind == "pandas":
        return _to_pandas(table, like, schema)
    if kind == "polars":
        return _to_polars(table, like, schema)
    if kind == "pyarrow":
        return _import("pyarrow", kind).table(table)
    if kind == "duckdb":
        return _import("duckdb", kind).from_arrow(_import("pyarrow", kind).table(table))
    from ._table import Table

    return Table(table, schema)


def paths_of(data: Data) -> list[str] | None:
    """Returns the paths that were given, or ``None`` for a table."""
    if isinstance(data, (str, os.PathLike)):
        return [os.fspath(data)]
    if isinstance(data, Sequence) and not hasattr(data, "__arrow_c_stream__"):
        items = list(data)
        if items and all(isinstance(item, (str, os.PathLike)) for item in items):
            return [os.fspath(cast("str | os.PathLike[str]", item)) for item in items]
    return None


def dialect_of(data: Data, dialect: Mapping[str, Any] | None) -> str | None:
    """Returns how text files are written, as JSON. A table in memory is not written in any way."""
    if dialect is None:
        return None
    if paths_of(data) is None:
        raise UsageError(
            "`dialect` says how text files are written, and this table is no file",
            hint="leave it out, or give the path of the file",
        )
    return json.dumps(dict(dialect))


def _kind_of(table: object) -> Kind:
    for ancestor in type(table).__mro__:
        kind = _MODULES.get(ancestor.__module__.split(".")[0])
        if kind is not None:
            return kind
    return "table"


def _import(name: str, kind: Kind) -> Any:
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        use = "makes such tables" if name == kind else f"hands over the tables of {kind}"
        raise UsageError(
            f"`{name}`, which {use}, is not installed",
            hint=f"`pip install {name}`, or take another kind of table",
        ) from None


def _relation(relation: Any) -> Any:
    if hasattr(relation, "__arrow_c_stream__"):
        return relation
    # Older versions of duckdb do not have the interface.
    return relation.fetch_arrow_reader() if hasattr(relation, "fetch_arrow_reader") else relation.arrow()


def _to_polars(table: _native.Table, source: Source | None, schema: Schema) -> Any:
    polars = _import("polars", "polars")
    frame = polars.DataFrame(table)
    for name, dtype in (source.dtypes if source else {}).items():
        if name not in frame.columns or frame.schema[name] == dtype:
            continue
        if isinstance(dtype, polars.Enum):
            categories = schema.categories(name)
            if categories is None:
                continue
            dtype = polars.Enum(categories)
        elif not isinstance(dtype, polars.Categorical):
            continue
        frame = frame.with_columns(polars.col(name).cast(dtype))
    return frame


def _to_pandas(table: _native.Table, source: Source | None, schema: Schema) -> Any:
    pandas, arrow = _import("pandas", "pandas"), _import("pyarrow", "pandas").table(table)
    dtypes = source.dtypes if source else {}
    can_be_missing = {column.name: column.can_be_missing for column in schema.columns}
    columns = {
        name: _to_series(arrow.column(name), can_be_missing[name], dtypes.get(name), schema.categories(name))
        for name in arrow.column_names
    }
    return pandas.DataFrame(columns, copy=False)


def _to_series(column: Any, can_be_missing: bool, dtype: Any, categories: list[str] | None) -> Any:
    pandas, types = _import("pandas", "pandas"), _import("pyarrow", "pandas").types
    usual = None
    if can_be_missing and types.is_integer(column.type):
        usual = pandas.Int64Dtype()
    elif can_be_missing and types.is_boolean(column.type):
        usual = pandas.BooleanDtype()
    # Dates become objects only if they were objects in the real table.
    as_object = dtype is not None and dtype == object
    series = column.to_pandas(types_mapper=lambda _: usual, date_as_object=as_object)
    chosen = _chosen(dtype, can_be_missing, categories, series)
    if chosen is None or series.dtype == chosen:
        return series
    try:
        return series.astype(chosen)
    except (TypeError, ValueError, OverflowError):
        return series


def _chosen(dtype: Any, can_be_missing: bool, categories: list[str] | None, series: Any) -> Any:
    """Returns the type that the user chose for the real column, or ``None`` if its values decided
    it.

    The rows decide the type of a column of plain numbers or objects: integers with missing values
    are floats, without they are not.
    """
    pandas = _import("pandas", "pandas")
    if dtype is None:
        return None
    if isinstance(dtype, pandas.CategoricalDtype):
        values = categories if categories is not None else sorted(series.dropna().unique())
        return pandas.CategoricalDtype(values, ordered=dtype.ordered)
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, pandas.api.extensions.ExtensionDtype) or kind == "M":
        return dtype
    if kind in "iu" and dtype.itemsize < 8 and series.dtype.kind in "iu":
        name = dtype.name
        return name[0].upper() + name[1:].replace("int", "Int", 1) if can_be_missing else dtype
    if kind == "f" and dtype.itemsize < 8 and series.dtype.kind == "f":
        return dtype
    return None
