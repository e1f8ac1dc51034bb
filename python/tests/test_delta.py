"""Delta tables that the package of Delta wrote: the live rows of every version count, and no others."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import scumble

CITIES = ["Oslo", "Köln", "a/b=c %", None]
SCHEMA = scumble.Schema(
    {
        "fields": [
            {"name": "city", "type": "string", "constraints": {"enum": ["Oslo", "Köln", "a/b=c %"]}},
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}},
            {"name": "points", "type": "integer", "constraints": {"minimum": 0, "maximum": 19}},
        ]
    }
)


def write(path: Path) -> int:
    """Writes a table with deleted rows, a later column and a checkpoint. Returns the first version with all columns."""
    deltalake = pytest.importorskip("deltalake")
    pyarrow = pytest.importorskip("pyarrow")

    def rows(number: int, seed: int, late: bool) -> object:
        draw = random.Random(seed)
        columns = {
            "city": pyarrow.array([draw.choice(CITIES) for _ in range(number)]),
            "age": pyarrow.array([draw.randrange(100) for _ in range(number)], pyarrow.int32()),
        }
        if late:
            columns["points"] = pyarrow.array([draw.randrange(20) for _ in range(number)], pyarrow.int16())
        return pyarrow.table(columns)

    deltalake.write_deltalake(path, rows(600, 1, False), partition_by=["city"])
    table = deltalake.DeltaTable(path)
    table.delete("age >= 50")
    deltalake.write_deltalake(path, rows(300, 2, True), mode="append", schema_mode="merge")
    table.update_incremental()
    first: int = table.version()
    table.delete("city = 'Oslo'")
    table.create_checkpoint()
    deltalake.write_deltalake(path, rows(200, 3, True), mode="append")
    return first


def test_the_live_rows_of_every_version_are_read(tmp_path: Path) -> None:
    path = tmp_path / "people"
    first = write(path)
    deltalake, parquet = pytest.importorskip("deltalake"), pytest.importorskip("pyarrow.parquet")
    newest: int = deltalake.DeltaTable(path).version()
    assert newest >= first + 2
    sizes = set()
    for version in range(first, newest + 1):
        live = deltalake.DeltaTable(path, version=version).to_pyarrow_table()
        parquet.write_table(live, tmp_path / "live.parquet")
        for address in [f"{path}@v{version}"] + [path] * (version == newest):
            found = scumble.evaluate(address, tmp_path / "live.parquet", SCHEMA, orders=(1, 2, 3), quick=True).to_dict()
            assert found["rows"]["real"] == live.num_rows
            shares = [(value["real"], value["synthetic"]) for column in found["distributions"] for value in column["values"]]
            assert shares and all(real == synthetic for real, synthetic in shares)
        sizes.add(live.num_rows)
    assert len(sizes) > 1
    with pytest.raises(scumble.ScumbleError, match=f"no version {newest + 1}"):
        scumble.MST(1.0, 1e-6).fit(f"{path}@v{newest + 1}", SCHEMA)


def test_the_ledger_names_the_version_that_was_read(tmp_path: Path) -> None:
    path, ledger = tmp_path / "people", tmp_path / "people.ledger"
    write(path)
    scumble.Ledger.create(ledger, SCHEMA, epsilon=5.0, delta=1e-6, dataset="people")
    scumble.MST(1.0, 1e-7).fit(path, SCHEMA, ledger=ledger)
    deltalake = pytest.importorskip("deltalake")
    assert f"table version {deltalake.DeltaTable(path).version()}" in repr(scumble.Ledger(ledger).show())
