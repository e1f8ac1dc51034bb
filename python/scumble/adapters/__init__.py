"""Adapters for programs that compare synthesizers, one module for each.

Such programs provide a table without a schema. The adapter then reads bounds and categories off the
table: the least and greatest values, and the categories that occur. No certificate covers these.
That is right for comparisons on public tables and wrong for a release. Every adapter therefore
takes a ``schema``, and warns without one. Columns read off the table are marked ``source: data`` in
the schema, and model, certificate, report and bundle say so.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from .._errors import ScumbleError
from .._methods import _METHODS, Synthesizer
from .._schema import Schema
from .._typing import PathLike

_BINS = 32
"""Number of bins of a numeric column that has no schema."""


class ReadOffWarning(UserWarning):
    """Bounds and categories were read off the table, so the guarantee does not cover them."""


def read_off(frame: Any) -> Schema:
    """Returns a schema with the bounds and categories of a ``pandas.DataFrame``. NOT private: for
    comparisons on public tables.

    Every column is marked ``source: data``, so everything fitted with it says that the guarantee
    does not cover bounds and categories.
    """
    import pandas

    draft = Schema.draft(frame)
    for field in draft.to_dict()["fields"]:
        name, kind = field["name"], field["type"]
        values = frame[name].dropna()
        if len(values) == 0:
            draft = draft.drop(name)
            continue
        # That no value is missing is read off the table as well.
        draft = draft.edit(name, source="data", required=True if len(values) == len(frame) else None)
        if kind == "string":
            draft = draft.edit(name, categories=sorted({str(value) for value in values}), open=None)
        elif kind == "integer":
            least, greatest = int(values.min()), int(values.max())
            bins = {"count": _BINS} if greatest - least >= _BINS else None
            draft = draft.edit(name, minimum=least, maximum=greatest, bins=bins)
        elif kind == "number":
            lower, upper = float(values.min()), float(values.max())
            draft = draft.edit(name, minimum=lower, maximum=upper if upper > lower else lower + 1.0, bins={"count": _BINS})
        elif kind in ("date", "datetime"):
            days = pandas.to_datetime(values)
            form = "%Y-%m-%d" if kind == "date" else "%Y-%m-%dT%H:%M:%S"
            # A bin contains its lower bound, so the last bin must end after the greatest value.
            end = days.max() + pandas.Timedelta(days=1)
            draft = draft.edit(name, minimum=days.min().strftime(form), maximum=end.strftime(form), bins={"count": _BINS})
    return draft.check()


def named(method: str | type[Synthesizer]) -> type[Synthesizer]:
    """Returns a method by its class, class name, or name on the command line."""
    if not isinstance(method, str):
        return method
    by_class = {kind.__name__: kind for kind in _METHODS.values()}
    kind = by_class.get(method) or _METHODS.get(method)
    if kind is None:
        raise ScumbleError(f"there is no method `{method}`", hint=f"choose one of {', '.join(by_class)}")
    return kind


def fitted(
    frame: Any,
    method: str | type[Synthesizer],
    epsilon: float,
    delta: float,
    schema: Schema | PathLike | None,
    options: Mapping[str, Any],
) -> Synthesizer:
    """Fits a method to a frame, with its schema or one read off the frame."""
    synthesizer = named(method)(epsilon, delta, **options)
    if schema is None:
        warnings.warn(
            "bounds and categories were read off the table: right for comparisons on public tables, wrong for a release",
            ReadOffWarning,
            stacklevel=3,
        )
        schema = read_off(frame)
    with warnings.catch_warnings():
        # The warning above says it already.
        from .._errors import AssumedWarning

        warnings.simplefilter("ignore", AssumedWarning)
        return synthesizer.fit(frame, schema, progress=False)
