"""Input and output of tables of other libraries, with the real packages."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

import scumble

Kinds = tuple[dict[str, list[Any]], scumble.Schema]


def fit(data: Any, schema: scumble.Schema) -> scumble.MST:
    return scumble.MST(1e6, 1e-9).fit(data, schema, accept_weak_privacy=True)


def test_pandas_comes_out_as_it_went_in(every_kind: Kinds) -> None:
    pandas = pytest.importorskip("pandas")
    columns, schema = every_kind
    frame = pandas.DataFrame(columns).astype(
        {
            "region": pandas.CategoricalDtype(["east", "north", "south"], ordered=True),
            "colour": "string",
            "age": "int16",
            "children": "Int8",
            "smoker": "boolean",
            "born": "datetime64[s]",
            "called": "datetime64[us, Europe/Berlin]",
        }
    )
    frame.index = range(5, 5 + len(frame))
    rows = fit(frame, schema).sample(400, seed=1)
    assert isinstance(rows, pandas.DataFrame) and list(rows.columns) == list(frame.columns)
    same = ["colour", "age", "children", "income", "member", "smoker", "born", "called"]
    assert {name: rows[name].dtype for name in same} == {name: frame[name].dtype for name in same}
    assert rows["seen"].dtype.kind == "M" and rows["seen"].dtype == "datetime64[us]"
    # Categories are those of the schema: those of the frame depend on its rows.
    assert list(rows["region"].cat.categories) == ["north", "south", "east", "west"] and rows["region"].cat.ordered
    assert set(rows["region"]) <= {"north", "south", "east", "west"}
    assert rows["children"].isna().any() and rows["smoker"].isna().any() and rows["colour"].isna().any()
    assert rows["age"].between(0, 119).all() and not rows["member"].isna().any()
    assert {type(time) for time in rows["woke"].dropna()} == {dt.time} and rows["woke"].isna().any()


def test_types_that_come_from_gaps_are_not_taken_over(every_kind: Kinds) -> None:
    pandas = pytest.importorskip("pandas")
    columns, schema = every_kind
    plain = pandas.DataFrame(columns)
    full = plain.dropna().reset_index(drop=True).astype({"children": "int64", "smoker": "bool"})
    assert plain["children"].dtype == "float64" and full["children"].dtype == "int64"
    gappy, whole = fit(plain, schema).sample(300, seed=1), fit(full, schema).sample(300, seed=1)
    # Whether the real column has missing values is not public; that the schema allows them is.
    assert (gappy.dtypes == whole.dtypes).all()
    assert gappy["children"].dtype == "Int64" and gappy["smoker"].dtype == "boolean" and gappy["age"].dtype == "int64"


def test_polars_comes_out_as_it_went_in(every_kind: Kinds) -> None:
    polars = pytest.importorskip("polars")
    columns, schema = every_kind
    frame = polars.DataFrame(columns).with_columns(
        polars.col("region").cast(polars.Enum(["east", "north", "south"])),
        polars.col("colour").cast(polars.Categorical),
        polars.col("age").cast(polars.Int16),
        polars.col("children").cast(polars.UInt8),
        polars.col("income").cast(polars.Float32),
        polars.col("seen").cast(polars.Datetime("ms")),
        polars.col("called").dt.convert_time_zone("Europe/Berlin"),
    )
    for data in (frame, frame.lazy(), polars.concat([frame, frame], rechunk=False)):
        rows = fit(data, schema).sample(400, seed=1)
        assert isinstance(rows, polars.DataFrame)
        expected = dict(frame.schema) | {"region": polars.Enum(["north", "south", "east", "west"])}
        assert dict(rows.schema) == expected
        assert rows["children"].null_count() > 0 and rows["age"].null_count() == 0


def test_a_frame_in_pieces_is_handed_over_as_it_is_cut(every_kind: Kinds) -> None:
    polars = pytest.importorskip("polars")
    from scumble import _frames

    columns, schema = every_kind
    frame = polars.DataFrame(columns)
    cut = polars.concat([frame[:300], frame[300:300], frame[300:]], rechunk=False)
    # Columns with chunks of different lengths.
    cut = cut.with_columns(polars.concat([frame["age"][:500], frame["age"][500:]], rechunk=False).alias("age"))
    pieces = _frames.Source(cut).native
    assert [piece.height for piece in pieces] == [300, 200, 300] and all(piece.n_chunks() == 1 for piece in pieces)
    assert polars.concat(pieces).equals(frame)
    assert [piece.height for piece in _frames.Source(frame[:0]).native] == [0]
    models = [scumble.Independent(1e6, 0.0).fit(data, schema, accept_weak_privacy=True).model_ for data in (frame, cut)]
    assert models[0].inspect().to_dict()["columns"] == models[1].inspect().to_dict()["columns"]
    assert len(scumble.Independent(1.0, 0.0).fit(frame[:0], schema).sample(5)) == 5


def test_pyarrow_comes_out_as_it_went_in(every_kind: Kinds) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    columns, schema = every_kind
    types = {
        "region": pyarrow.dictionary(pyarrow.int8(), pyarrow.string()),
        "colour": pyarrow.large_string(),
        "age": pyarrow.int16(),
        "children": pyarrow.uint8(),
        "income": pyarrow.float32(),
        "member": pyarrow.bool_(),
        "smoker": pyarrow.bool_(),
        "born": pyarrow.date32(),
        "seen": pyarrow.timestamp("ms"),
        "called": pyarrow.timestamp("ns", tz="Europe/Berlin"),
        "woke": pyarrow.time64("us"),
    }
    table = pyarrow.table(columns, schema=pyarrow.schema(types))
    rows = fit(table, schema).sample(400, seed=1)
    assert isinstance(rows, pyarrow.Table)
    assert dict(zip(rows.schema.names, rows.schema.types)) == types
    # A reader can be read only once, and its source may be larger than memory.
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    assert dict(zip(fit(reader, schema).sample(10).schema.names, types.values())) == types


def test_duckdb_comes_out_as_it_went_in(every_kind: Kinds) -> None:
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    columns, schema = every_kind
    table = pyarrow.table(columns)
    relation = duckdb.from_arrow(table).project("* replace (age::smallint as age)")
    rows = fit(relation, schema).sample(400, seed=1)
    assert isinstance(rows, duckdb.DuckDBPyRelation)
    assert dict(zip(rows.columns, rows.types)) == dict(zip(relation.columns, relation.types))
    assert rows.aggregate("count(*)").fetchall() == [(400,)]


def test_every_kind_of_table_is_counted_alike(every_kind: Kinds, tmp_path: Any) -> None:
    """With almost no noise, the counts behind a model show whether two tables were read alike."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    duckdb, pyarrow = pytest.importorskip("duckdb"), pytest.importorskip("pyarrow")
    columns, schema = every_kind
    arrow = pyarrow.table(columns)
    polars.from_arrow(arrow).write_parquet(tmp_path / "a.parquet")
    tables = [arrow, pandas.DataFrame(columns), polars.DataFrame(columns), duckdb.from_arrow(arrow), tmp_path / "a.parquet", [tmp_path / "*.parquet"]]
    shares = []
    for table in tables:
        model = scumble.Independent(1e6, 0.0).fit(table, schema, accept_weak_privacy=True).model_
        shares.append((model.rows, model.inspect().to_dict()["columns"]))
    assert all(one == shares[0] for one in shares)
    assert shares[0][0] == len(columns["age"])


def test_a_table_converts_to_every_library(fitted: scumble.MST, tmp_path: Any) -> None:
    polars = pytest.importorskip("polars")
    rows = fitted.sample(50, seed=1)
    assert isinstance(rows, scumble.Table) and len(rows) == 50 and "50 rows" in rows._repr_html_() and "50 rows" in repr(rows)
    for name in ("a.csv", "a.tsv", "a.parquet", "a.arrow"):
        rows.write(tmp_path / name)
        fitted.write(tmp_path / f"drawn-{name}", 50, seed=1)
    assert polars.read_parquet(tmp_path / "a.parquet").equals(rows.to_polars())
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "drawn-a.parquet").read_bytes()
    assert fitted.sample(50, seed=1, into="polars").equals(rows.to_polars())
    assert fitted.sample(50, seed=1, into="pyarrow").equals(rows.to_pyarrow())
    with pytest.raises(scumble.UsageError):
        fitted.sample(50, into="spreadsheet")  # type: ignore[arg-type]


def test_a_missing_library_is_named() -> None:
    from scumble import _frames

    with pytest.raises(scumble.UsageError, match="`nowhere`, which hands over the tables of pandas, is not installed"):
        _frames._import("nowhere", "pandas")


def test_objects_that_are_not_tables_are_refused(people: tuple[scumble.Table, scumble.Schema]) -> None:
    table, schema = people
    for nothing in (3, [], [1, 2], {"a": [1]}):
        with pytest.raises(scumble.UsageError):
            scumble.MST(1.0, 1e-9).fit(nothing, schema)
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(scumble.DataError, match="`sex` is not in the data"):
        scumble.MST(1.0, 1e-9).fit(table.to_pyarrow().drop_columns(["sex"]), schema)
    twice = table.to_pandas()
    twice = twice.set_axis([*twice.columns[:-1], "sex"], axis=1)
    with pytest.raises(scumble.DataError, match="`sex` is in the data more than once"):
        scumble.MST(1.0, 1e-9).fit(twice, schema.drop("height_cm"))
    # An index is not a column, and nested columns have a combined name.
    with pytest.raises(scumble.DataError, match="`sex` is not in the data"):
        scumble.MST(1.0, 1e-9).fit(table.to_pandas().set_index("sex"), schema)
    pandas = pytest.importorskip("pandas")
    above = table.to_pandas()
    above.columns = pandas.MultiIndex.from_product([["people"], above.columns])
    with pytest.raises(scumble.DataError, match="is not in the data"):
        scumble.MST(1.0, 1e-9).fit(above, schema)


def test_units_must_have_a_type_that_distinguishes_them() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    schema = scumble.Schema({"dp": {"privacyUnit": "who", "maxContributions": 1}, "fields": [{"name": "smoker", "type": "boolean"}]})
    table = pyarrow.table({"who": pyarrow.array([["a"], ["b"]]), "smoker": [True, False]})
    with pytest.raises(scumble.DataError, match="`who` has the type `List.*cannot be encoded"):
        scumble.MST(1.0, 1e-9).fit(table, schema)
