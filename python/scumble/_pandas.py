"""Conversion of pandas frames to Arrow columns; no value can make it fail.

The type of a column alone decides how it is converted. Columns of numbers, booleans, times and
Arrow types are handed over unchanged. All others are converted value by value: an object becomes
the value that a typed column would hold, and an object without a plain value is unknown. So a cell
decides neither whether the frame can be read nor the code of another row.

The type of a column is taken as given. pandas may have derived it from the values: integers with a
missing value are floats, with a text among them they are objects. All of these have the same codes.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._errors import DataError, ScumbleError

Columns = list[tuple[str, Any]]


def table(frame: Any, pyarrow: Any) -> _native.Table:
    """Converts the columns of a frame. The index is not a column."""
    try:
        plain: Columns = []
        objects: list[tuple[str, list[object]]] = []
        for place, name in enumerate(frame.columns):
            series = frame.iloc[:, place]
            column = _plain(series, pyarrow)
            if column is None:
                objects.append((str(name), _objects(series)))
            else:
                plain.append((str(name), column))
        return _native.Table.with_objects(_arrow(plain, pyarrow) if plain else None, len(frame), objects)
    except ScumbleError:
        raise
    except Exception:
        # The original error may quote a value.
        raise DataError(
            "the frame could not be handed over as Arrow columns",
            hint="run `pyarrow.Table.from_pandas(frame)` for the reason; its message may quote the data",
        ) from None


def types(frame: Any, pyarrow: Any) -> _native.Types:
    """Returns the types of a frame's columns. Object columns count as text, which they mostly
    are."""
    empty = frame.head(0)
    columns: Columns = []
    for place, name in enumerate(empty.columns):
        column = _plain(empty.iloc[:, place], pyarrow)
        columns.append((str(name), pyarrow.array([], pyarrow.string()) if column is None else column))
    return _native.Types.of(_arrow(columns, pyarrow))


def _arrow(columns: Columns, pyarrow: Any) -> Any:
    return pyarrow.Table.from_arrays([column for _, column in columns], names=[name for name, _ in columns])


def _plain(series: Any, pyarrow: Any) -> Any:
    """Converts a column to Arrow; ``None`` if values of its type can be anything."""
    import pandas

    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _categories(series, pyarrow)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        # The time zone of an instant does not matter, and not every library knows every zone.
        return pyarrow.array(series.dt.tz_convert(None).to_numpy(), pyarrow.timestamp(dtype.unit, "UTC"), from_pandas=True)
    if isinstance(dtype, pandas.StringDtype):
        return series.array.__arrow_array__() if dtype.storage == "pyarrow" else None
    if isinstance(dtype, (pandas.ArrowDtype, pandas.BooleanDtype)) or type(dtype).__name__ in _MASKED:
        return series.array.__arrow_array__()
    if isinstance(dtype, pandas.api.extensions.ExtensionDtype):
        return None
    if dtype.kind in "biuM" or (dtype.kind == "f" and dtype.itemsize <= 8):
        values = series.to_numpy()
        return pyarrow.array(values if dtype.isnative else values.astype(dtype.newbyteorder("=")), from_pandas=True)
    return None


_MASKED = {f"{sign}Int{bits}Dtype" for sign in ("", "U") for bits in (8, 16, 32, 64)} | {"Float32Dtype", "Float64Dtype"}
"""Number types of pandas with a mask for missing values."""


def _categories(series: Any, pyarrow: Any) -> Any:
    values = _plain(series.cat.categories.to_series(), pyarrow)
    if values is None:
        return None
    if isinstance(values, pyarrow.ChunkedArray):
        values = values.combine_chunks()
    codes = series.cat.codes.to_numpy()
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes, mask=codes < 0), values)


def _objects(series: Any) -> list[object]:
    try:
        return list(series.to_numpy(dtype=object).tolist())
    except Exception:
        # A type of another library, with a value that cannot be converted.
        array = series.array
        return [_one(array, place) for place in range(len(array))]


def _one(array: Any, place: int) -> object:
    try:
        return array[place]
    except Exception:
        return _UNREADABLE


_UNREADABLE = object()
"""Stands for a value that cannot be read; its code is that of unknown values."""
