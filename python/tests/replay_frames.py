"""Replay on frames: one more row changes the counts of a table by that row and nothing else.

Cells are invalid as well as valid values, and the added row may change the type of a column:
integers become floats or objects, a column of nulls becomes nested. The counts are those of a fit
with a budget so large that its noise is zero.

As a program it prints its figures: `python replay_frames.py [PAIRS]`.
"""

from __future__ import annotations

import collections
import datetime as dt
import decimal
import enum
import json
import random
import sys
import tempfile
import uuid
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import scumble

PAIRS = 3_000
ROWS_TO_ADD = 5
"""Number of rows added to each table, one at a time."""

SCHEMA = scumble.Schema(
    {
        "missingValues": ["", "NA", "-9"],
        "fields": [
            {"name": "text", "type": "string", "constraints": {"enum": ["red", "3", "1.5", "0.0000001", "true", "2020-01-31", "inf"]}, "dp": {"open": True}},
            {"name": "closed", "type": "string", "constraints": {"enum": ["red", "3", "True"], "required": True}, "dp": {"foldInto": "red"}},
            {"name": "whole", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}, "dp": {"open": True}},
            {"name": "bounded", "type": "integer", "constraints": {"minimum": -5, "maximum": 5}},
            {"name": "real", "type": "number", "constraints": {"minimum": -10, "maximum": 10}, "dp": {"bins": {"count": 40}}},
            {"name": "truth", "type": "boolean", "trueValues": ["yes", "1"], "falseValues": ["no", "0"], "dp": {"open": True}},
            {
                "name": "day",
                "type": "date",
                "format": "%d/%m/%Y",
                "constraints": {"minimum": "01/01/2000", "maximum": "31/12/2029"},
                "dp": {"open": True, "bins": {"by": "year"}},
            },
            {
                "name": "time",
                "type": "datetime",
                "constraints": {"minimum": "2000-01-01T00:00:00", "maximum": "2029-12-31T00:00:00"},
                "dp": {"bins": {"by": "year"}, "timeZone": "Europe/Berlin"},
            },
            {"name": "clock", "type": "time", "dp": {"open": True, "bins": {"by": "hour"}}},
            {"name": "year", "type": "year", "constraints": {"minimum": 2000, "maximum": 2029}, "dp": {"open": True}},
        ],
    }
).check()
NAMES = list(SCHEMA)

Row = dict[str, Any]
Pair = tuple[str, Any, Any, Any]
"""Kind of pair, the table, the table with one more row, and that row alone if it can be a table
with the same values."""


def counts(table: Any, schema: scumble.Schema = SCHEMA) -> dict[str, list[int]]:
    """Returns the exact counts of every column."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scumble.AssumedWarning)
        # A table of one row has columns without a value.
        warnings.simplefilter("ignore", scumble.DeadColumnWarning)
        model = scumble.Independent(1e6, 0.0).fit(table, schema, accept_weak_privacy=True, progress=False).model_
    with tempfile.TemporaryDirectory() as folder:
        model.write_marginals(Path(folder) / "tables.json")
        tables = json.loads((Path(folder) / "tables.json").read_text(encoding="utf-8"))["tables"]
    return {name: table["counts"] for table in tables for name in table["columns"]}


def difference(base: dict[str, list[int]], more: dict[str, list[int]]) -> dict[str, list[int]]:
    return {name: [b - a for a, b in zip(base[name], more[name], strict=True)] for name in base}


def problem(pair: Pair) -> str | None:
    """Returns the problem of a pair, or ``None``."""
    kind, table, more, alone = pair
    try:
        changed = difference(counts(table), counts(more))
        own = None if alone is None else counts(alone)
    except Exception as error:
        return f"{kind}: raises {type(error).__name__}"
    for name, change in changed.items():
        if sorted(change) != [0] * (len(change) - 1) + [1]:
            return f"{kind}: other rows of `{name}` change"
        if own is not None and change != own[name]:
            return f"{kind}: `{name}` of the row depends on other rows"
    return None


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    THREE = 3


class Shade(enum.Enum):
    DARK = 3


class Mute:
    """An object without text, truth or size, and with a false class."""

    def _refuse(self, *_: object) -> Any:
        raise RuntimeError("not this one")

    __str__ = __repr__ = __bool__ = __len__ = __int__ = __float__ = __index__ = __iter__ = __eq__ = _refuse
    __hash__ = None  # type: ignore[assignment]
    __class__ = property(_refuse)  # type: ignore[assignment]


class Lost(dt.tzinfo):
    def utcoffset(self, moment: object) -> Any:
        raise RuntimeError("nobody knows")


VALUES: dict[str, Callable[[random.Random], Any]] = {
    "str": lambda draw: draw.choice(["red", "3", "1.5", "yes", "31/01/2020", "2020-01-31T10:00:00", "2020", "NA"]),
    "int": lambda draw: draw.choice([0, 1, 3, 5, 9, 2005, -9]),
    "float": lambda draw: draw.choice([0.0, 1.0, 1.5, 3.0, -0.0, 1e-7, 2005.0, 0.1]),
    "bool": lambda draw: draw.random() < 0.5,
    "date": lambda draw: dt.date(2000 + draw.randrange(30), 1, 31),
    "datetime": lambda draw: dt.datetime(2000 + draw.randrange(30), 1, 31, draw.randrange(24), 30, 0, 250),
    "aware": lambda draw: dt.datetime(2000 + draw.randrange(30), 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=draw.randrange(-5, 6)))),
    "clock": lambda draw: dt.time(draw.randrange(24), 30, 0, 250),
    "decimal": lambda draw: decimal.Decimal(draw.choice(["3", "1.5", "1.50", "2E+1", "-0"])),
}
"""Values that a column may have in all of its rows."""


def junk() -> list[Any]:
    """Returns unusual cells."""
    import numpy
    import pandas

    holder = numpy.empty((), dtype=object)
    return [
        None, float("nan"), float("inf"), -float("inf"), 1e300, 2**62, 2**63, 2**64, -(2**63) - 1, 2**200, 10**5000, -(10**5000), 2j, complex(3),
        "", " ", "red", " red ", "\x00", "\ud800", "x" * 2_000_000, "é", "NA", "-9", "nan", "inf", "1e400", "9" * 60, "2020-02-30",
        b"red", b"\xff", b"\xf0\x9f", bytearray(b"red"), numpy.str_("red"), numpy.bytes_(b"red"), Colour.RED, Level.THREE, Shade.DARK,
        True, False, numpy.bool_(True), numpy.int8(3), numpy.uint64(2**64 - 1), numpy.float16(1.5), numpy.float32(0.1), numpy.longdouble(3), numpy.complex64(1j),
        decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("Infinity"), decimal.Decimal("1E+999999"), decimal.Decimal("1E-999999"), decimal.Decimal("3.0"),
        dt.date.min, dt.date.max, dt.date(2020, 1, 31), dt.datetime.min, dt.datetime.max, dt.datetime(2020, 1, 31, tzinfo=dt.timezone.utc),
        dt.datetime.max.replace(tzinfo=dt.timezone.utc), dt.datetime(2020, 1, 1, tzinfo=Lost()), dt.time(1, 2), dt.timedelta(days=1),
        numpy.datetime64("NaT"), numpy.datetime64("2020-01-31"), numpy.datetime64(2**62, "s"), numpy.datetime64("2020"), numpy.datetime64("2020-02"), numpy.datetime64(2**40, "Y"), numpy.timedelta64(1, "D"), numpy.timedelta64("NaT"),
        pandas.NA, pandas.NaT, pandas.Timestamp("2020-01-31 10:00"), pandas.Timestamp("2020-01-31", tz="Asia/Tokyo"), pandas.Timestamp(numpy.datetime64(9_999_999_999_999, "s")),
        pandas.Timedelta(1, "D"), pandas.Period("2020-01", "M"), pandas.Interval(0, 1), uuid.UUID(int=7), object(), object, Mute(), len, Ellipsis,
        [], [3], ["red"], (3,), {3}, {"a": 3}, {}, numpy.array(3), numpy.array([3]), holder, numpy.array([[1, 2]]), pandas.Series([1]), collections.OrderedDict(a=1), range(3),
    ]  # fmt: skip


def _series(values: list[Any]) -> Any:
    """Returns a column as pandas makes it from values, or of objects if it refuses."""
    import pandas

    try:
        return pandas.Series(values)
    except Exception:
        return _objects(values)


def _objects(values: list[Any]) -> Any:
    import numpy
    import pandas

    objects = numpy.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        objects[place] = value
    return pandas.Series(objects, dtype=object)


def _below(column: Any, more: Any) -> Any:
    """Returns one column below another as pandas concatenates them, or as objects if it refuses."""
    import pandas

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return pandas.concat([column, more], ignore_index=True)
        except Exception:
            return _objects([*column, *more])


def inferred_frames(draw: random.Random) -> Iterator[Pair]:
    """Yields pairs with types that pandas infers from the values."""
    import pandas

    cells = junk()
    columns: dict[str, list[Any]] = {}
    rows = draw.randrange(8)
    for name in NAMES:
        kind = draw.choice([*VALUES, "mixed", "nothing", "gaps"])
        if kind == "mixed":
            columns[name] = [draw.choice(cells) for _ in range(rows)]
        elif kind == "nothing":
            columns[name] = [None] * rows
        elif kind == "gaps":
            value = VALUES[draw.choice(list(VALUES))]
            columns[name] = [None if draw.random() < 0.3 else value(draw) for _ in range(rows)]
        else:
            columns[name] = [VALUES[kind](draw) for _ in range(rows)]
    table = pandas.DataFrame({name: _series(values) for name, values in columns.items()})
    for _ in range(ROWS_TO_ADD):
        row = {name: draw.choice(cells) if draw.random() < 0.7 else VALUES[draw.choice(list(VALUES))](draw) for name in NAMES}
        more = pandas.DataFrame({name: _series([*columns[name], row[name]]) for name in NAMES})
        alone = pandas.DataFrame({name: _objects([row[name]]) for name in NAMES})
        yield "pandas, inferred", table, more, alone


DTYPES: dict[str, list[str]] = {
    "int": ["int64", "int16", "float64", "float32", "Int64", "UInt16", "Float64", "object", "category", "int64[pyarrow]", "Sparse[int64]", ">i4", "complex128"],
    "float": ["float64", "float32", "Float32", "object", "category", "double[pyarrow]", "Sparse[float64]", ">f8", "complex64"],
    "bool": ["bool", "boolean", "object", "category", "bool[pyarrow]", "Sparse[bool]"],
    "str": ["str", "object", "string[python]", "string[pyarrow]", "category", "large_string[pyarrow]"],
    "date": ["object", "date32[pyarrow]", "category"],
    "datetime": ["datetime64[us]", "datetime64[ns]", "object", "category", "timestamp[us][pyarrow]"],
    "aware": ["object", "category"],
    "clock": ["object", "category", "time64[us][pyarrow]"],
    "decimal": ["object", "category"],
}
"""Types that a user may choose for values; none of them loses a value."""


def typed_frames(draw: random.Random) -> Iterator[Pair]:
    """Yields pairs with chosen types, and a frame of one row below, which may change them."""
    import pandas

    rows, columns, kinds = draw.randrange(1, 8), {}, {}
    for name in NAMES:
        kinds[name] = draw.choice(list(DTYPES))
        values = [VALUES[kinds[name]](draw) for _ in range(rows)]
        if kinds[name] == "int":
            values = [abs(value) for value in values]
        dtype = draw.choice(DTYPES[kinds[name]])
        columns[name] = _objects(values) if dtype == "object" else _series(values).astype(dtype)
    table, cells = pandas.DataFrame(columns), junk()
    for _ in range(ROWS_TO_ADD):
        row = {name: draw.choice(cells) if draw.random() < 0.5 else VALUES[kinds[name]](draw) for name in NAMES}
        ways = {name: _objects([row[name]]) if draw.random() < 0.5 else _series([row[name]]) for name in NAMES}
        below = {name: _below(table[name], ways[name]) for name in NAMES}
        yield "pandas, typed", table, pandas.DataFrame(below), pandas.DataFrame(ways)


def polars_frames(draw: random.Random) -> Iterator[Pair]:
    """Yields pairs of polars frames, with objects in every second column."""
    import polars

    # polars takes the type of the first object for all, and if it is an enumeration asks each for
    # its value.
    cells = [cell for cell in junk() if type(cell) not in (Mute, Colour, Level, Shade)]
    plain: list[tuple[Any, Callable[[], Any]]] = [
        (polars.Int8, lambda: draw.choice([None, 3, -128, 127])),
        (polars.Int64, lambda: draw.choice([None, 3, -(2**63), 2**63 - 1])),
        (polars.Int128, lambda: draw.choice([None, 3, -(2**127), 2**127 - 1])),
        (polars.UInt64, lambda: draw.choice([None, 3, 2**64 - 1])),
        (polars.Float32, lambda: draw.choice([None, 1.5, float("nan"), float("inf")])),
        (polars.Float64, lambda: draw.choice([None, 1.5, float("nan"), -float("inf"), 1e300])),
        (polars.Boolean, lambda: draw.choice([None, True, False])),
        (polars.String, lambda: draw.choice([None, "red", "\x00", "", "3", "x" * 2_000_000])),
        (polars.Categorical, lambda: draw.choice([None, "red", "odd", ""])),
        (polars.Binary, lambda: draw.choice([None, b"red", b"\xff"])),
        (polars.Date, lambda: draw.choice([None, dt.date.min, dt.date.max, dt.date(2020, 1, 31)])),
        (polars.Datetime("ms"), lambda: draw.choice([None, dt.datetime.min, dt.datetime.max, dt.datetime(2020, 1, 31)])),
        (polars.Datetime("us", "Asia/Tokyo"), lambda: draw.choice([None, dt.datetime(2020, 1, 31, tzinfo=dt.timezone.utc)])),
        (polars.Decimal(20, 2), lambda: draw.choice([None, decimal.Decimal("3.00"), decimal.Decimal("-1.50")])),
        (polars.Time, lambda: draw.choice([None, dt.time(1)])),
        (polars.Duration("us"), lambda: draw.choice([None, dt.timedelta(1)])),
        (polars.List(polars.Int64), lambda: draw.choice([None, [], [3]])),
        (polars.Array(polars.Int64, 1), lambda: draw.choice([None, [3], [None]])),
        (polars.Struct({"a": polars.Int64}), lambda: draw.choice([None, {"a": 3}, {"a": None}])),
        (polars.List(polars.Null), lambda: draw.choice([None, []])),
        (polars.Null, lambda: None),
    ]
    objects = (polars.Object, lambda: draw.choice(cells))
    chosen = {name: objects if draw.random() < 0.5 else draw.choice(plain) for name in NAMES}

    def frame(rows: list[Row]) -> Any:
        return polars.DataFrame([polars.Series(name, [row[name] for row in rows], dtype=dtype) for name, (dtype, _) in chosen.items()])

    def row() -> Row:
        return {name: value() for name, (_, value) in chosen.items()}

    rows = [row() for _ in range(draw.randrange(8))]
    table = frame(rows)
    for _ in range(ROWS_TO_ADD):
        added = row()
        yield "polars", table, frame([*rows, added]), frame([added])


def arrow_columns(draw: random.Random) -> dict[str, tuple[Any, Callable[[list[Any]], Any], Callable[[], Any]]]:
    """Returns Arrow types, each with a constructor of a column and a generator of values."""
    import pyarrow

    def of(kind: Any, *values: Any) -> tuple[Any, Callable[[list[Any]], Any], Callable[[], Any]]:
        return kind, lambda column: pyarrow.array(column, kind), lambda: draw.choice([None, *values])

    children = [
        ("t", pyarrow.string(), ["red", "3", None]), ("i", pyarrow.int64(), [3, 2**62, None]), ("f", pyarrow.float64(), [1.5, float("nan"), float("inf")]),
        ("d", pyarrow.date32(), [dt.date(2020, 1, 31)]), ("l", pyarrow.list_(pyarrow.int64()), [[3], [], None]), ("b", pyarrow.bool_(), [True, None]),
    ]  # fmt: skip

    def dense(column: list[Any]) -> Any:
        values: list[list[Any]] = [[] for _ in children]
        offsets = []
        for child, value in column:
            offsets.append(len(values[child]))
            values[child].append(value)
        arrays = [pyarrow.array(own, kind) for own, (_, kind, _) in zip(values, children)]
        ids = pyarrow.array([child for child, _ in column], pyarrow.int8())
        return pyarrow.UnionArray.from_dense(ids, pyarrow.array(offsets, pyarrow.int32()), arrays, [name for name, *_ in children])

    def sparse(column: list[Any]) -> Any:
        arrays = [pyarrow.array([value if child == place else None for child, value in column], kind) for place, (_, kind, _) in enumerate(children)]
        return pyarrow.UnionArray.from_sparse(pyarrow.array([child for child, _ in column], pyarrow.int8()), arrays, [name for name, *_ in children])

    def cell() -> tuple[int, Any]:
        child = draw.randrange(len(children))
        return child, draw.choice(children[child][2])

    def runs(column: list[Any]) -> Any:
        ends = pyarrow.array(range(1, len(column) + 1), pyarrow.int32())
        return pyarrow.RunEndEncodedArray.from_arrays(ends, pyarrow.array(column, pyarrow.string()))

    def dictionary(column: list[Any]) -> Any:
        return pyarrow.array(column, pyarrow.string()).dictionary_encode()

    def required(column: list[Any]) -> Any:
        return pyarrow.array(column, pyarrow.int64())

    return {
        "dense union": (None, dense, cell),
        "sparse union": (None, sparse, cell),
        "runs": (None, runs, lambda: draw.choice([None, "red", "3"])),
        "dictionary": (None, dictionary, lambda: draw.choice([None, "red", "odd"])),
        # Declared to have no nulls, which pyarrow does not check.
        "required": ("required", required, lambda: draw.choice([None, 3])),
        "list": of(pyarrow.list_(pyarrow.string()), ["red"], []),
        "struct": of(pyarrow.struct({"a": pyarrow.int64()}), {"a": 3}, {"a": None}),
        "map": of(pyarrow.map_(pyarrow.string(), pyarrow.int64()), [("a", 3)], []),
        "decimal": of(pyarrow.decimal256(60, 2), decimal.Decimal("3.00"), decimal.Decimal("1E+50")),
        "interval": of(pyarrow.month_day_nano_interval(), (1, 2, 3)),
        "duration": of(pyarrow.duration("s"), 3),
        "time": of(pyarrow.time64("us"), 3),
        "null": of(pyarrow.null()),
        "timestamp": of(pyarrow.timestamp("s"), 2**62, -(2**62), 1_580_000_000),
        "instant": of(pyarrow.timestamp("ns", "Asia/Tokyo"), 2**62, -(2**62), 1_580_000_000_000_000_000),
        "half": of(pyarrow.float16(), 1.5, float("nan")),
        "binary": of(pyarrow.binary(), b"red", b"\xff"),
        "fixed": of(pyarrow.binary(3), b"red", b"\xff\xff\xff"),
        "view": of(pyarrow.string_view(), "red", "x" * 2_000_000),
        "uuid": of(pyarrow.uuid(), uuid.UUID(int=7).bytes),
    }


def _arrow_pairs(draw: random.Random, kinds: list[str] | None, made: Callable[[Any], Any], called: str) -> Iterator[Pair]:
    import pyarrow

    types = arrow_columns(draw)
    chosen = {name: types[draw.choice(kinds or list(types))] for name in NAMES}

    def table(rows: list[Row]) -> Any:
        columns = {name: make([row[name] for row in rows]) for name, (_, make, _) in chosen.items()}
        fields = [pyarrow.field(name, column.type, nullable=chosen[name][0] != "required") for name, column in columns.items()]
        whole = pyarrow.Table.from_arrays(list(columns.values()), schema=pyarrow.schema(fields))
        # Slices of columns are columns.
        cut = draw.randrange(len(rows) + 1)
        return made(pyarrow.concat_tables([whole.slice(0, cut), whole.slice(cut)]))

    def row() -> Row:
        return {name: value() for name, (_, _, value) in chosen.items()}

    rows = [row() for _ in range(draw.randrange(8))]
    base = table(rows)
    for _ in range(ROWS_TO_ADD):
        added = row()
        yield called, base, table([*rows, added]), table([added])


def arrow_tables(draw: random.Random) -> Iterator[Pair]:
    return _arrow_pairs(draw, None, lambda table: table, "pyarrow")


def duckdb_relations(draw: random.Random) -> Iterator[Pair]:
    import duckdb

    kinds = ["dictionary", "list", "struct", "map", "interval", "time", "timestamp", "binary", "view", "sparse union"]
    # One connection each, since the table of a relation must live as long as the relation.
    return _arrow_pairs(draw, kinds, lambda table: duckdb.from_arrow(table), "duckdb")


KINDS = (inferred_frames, typed_frames, polars_frames, arrow_tables, duckdb_relations)


def problems(pairs: int, seed: int) -> tuple[collections.Counter[str], list[str]]:
    """Returns the number of compared pairs of each kind, and all problems."""
    compared: collections.Counter[str] = collections.Counter()
    found: list[str] = []
    draw = random.Random(seed)
    while compared.total() < pairs:
        for kind in KINDS:
            for pair in kind(draw):
                compared[pair[0]] += 1
                wrong = problem(pair)
                if wrong is not None:
                    found.append(wrong)
    return compared, found


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else PAIRS
    compared, found = problems(wanted, seed=random.SystemRandom().randrange(2**32))
    for wrong, times in collections.Counter(found).most_common():
        print(f"{times} times: {wrong}", file=sys.stderr)
    pairs = ", ".join(f"{number:,} of {kind}" for kind, number in compared.items())
    figures = [
        {"name": f"neighbouring frames compared: {pairs}", "value": compared.total(), "unit": "pairs", "bar": 2_000, "holds": compared.total() >= min(wanted, 2_000)},
        {"name": "neighbouring frames that raise or differ in other rows", "value": len(found), "unit": "pairs", "bar": 0, "holds": not found},
    ]
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main()
