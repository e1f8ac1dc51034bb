"""Frames of pandas as Arrow columns, without a value that raises.

How a column is handed over is decided by its type alone. Columns of numbers, truth values, times and Arrow's own types are handed over as they
are. All others are read value by value: an object becomes what a typed column of its kind would hold, and what has no plain value is unknown. So a
cell never decides whether the frame is read, nor what the code of another row is.

The type of a column is taken as given. pandas may have chosen it by the values: whole numbers with a gap are floats, with a text among them they
are objects. All of these have the same codes.
"""

from __future__ import annotations

from typing import Any

from . import _native
from ._errors import DataError, ScumbleError

Columns = list[tuple[str, Any]]


def table(frame: Any, pyarrow: Any) -> _native.Table:
    """The columns of a frame. Its index is no column."""
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
        # The reason may quote a value.
        raise DataError(
            "the frame could not be handed over as Arrow columns",
            hint="see what `pyarrow.Table.from_pandas(frame)` says, where only people who may see the data can watch",
        ) from None


def types(frame: Any, pyarrow: Any) -> _native.Types:
    """The types of a frame's columns. Nobody can tell what a column of objects holds, and text is what it mostly is."""
    empty = frame.head(0)
    columns: Columns = []
    for place, name in enumerate(empty.columns):
        column = _plain(empty.iloc[:, place], pyarrow)
        columns.append((str(name), pyarrow.array([], pyarrow.string()) if column is None else column))
    return _native.Types.of(_arrow(columns, pyarrow))


def _arrow(columns: Columns, pyarrow: Any) -> Any:
    return pyarrow.Table.from_arrays([column for _, column in columns], names=[name for name, _ in columns])


def _plain(series: Any, pyarrow: Any) -> Any:
    """A column as Arrow has it; ``None`` if values of its type may be anything."""
    import pandas

    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        return _categories(series, pyarrow)
    if isinstance(dtype, pandas.DatetimeTZDtype):
        # The zone of an instant does not matter, and not every library knows every zone.
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
"""Numbers of pandas with a mask for missing ones."""


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
        # A type of another library, with a value that it cannot show.
        array = series.array
        return [_one(array, place) for place in range(len(array))]


def _one(array: Any, place: int) -> object:
    try:
        return array[place]
    except Exception:
        return _UNREADABLE


_UNREADABLE = object()
"""Unknown, as any object without a plain value."""
