"""Tables that DuckDB counts, through its driver, which is part of its Python package."""

from __future__ import annotations

from pathlib import Path

import pytest

import scumble

SCHEMA = scumble.Schema(
    {
        "fields": [
            {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}},
            {"name": "city", "type": "string", "constraints": {"enum": ["Oslo", "Köln"]}},
        ]
    }
)


@pytest.fixture
def table(tmp_path: Path) -> str:
    """The address of a table of 40,000 rows."""
    duckdb = pytest.importorskip("duckdb")
    library = pytest.importorskip("_duckdb").__file__
    path = tmp_path / "people.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute(
            "CREATE TABLE people AS SELECT CAST(i % 10 AS INTEGER) AS age, "
            "CASE WHEN i % 4 = 0 THEN 'Oslo' WHEN i % 4 = 1 THEN NULL ELSE 'Köln' END AS city FROM range(40000) AS t(i)"
        )
    return f"adbc:{library}?entrypoint=duckdb_adbc_init&path={path}&table=people"


@pytest.mark.parametrize("push_down", [False, True])
def test_a_fit_has_the_counts_of_the_table(table: str, push_down: bool) -> None:
    fitted = scumble.MST(2.0, 1e-9).fit(table, SCHEMA, push_down=push_down)
    assert abs(fitted.model_.rows - 40_000) < 200
    cities = fitted.sample(20_000, seed=1).to_pandas()["city"].value_counts()
    assert abs(cities["Oslo"] / 20_000 - 0.25) < 0.03
    assert abs(cities["Köln"] / 20_000 - 0.5) < 0.03


def test_what_cannot_be_counted_inside_is_refused(table: str, tmp_path: Path) -> None:
    with pytest.raises(scumble.ScumbleError, match="not a table of a database"):
        scumble.MST(1.0, 1e-9).fit(tmp_path / "people.csv", SCHEMA, push_down=True)
    with pytest.raises(scumble.ScumbleError, match="cannot tell what to learn"):
        scumble.MST(1.0, 1e-9).fit(table, push_down=True)
    wide = scumble.Schema({"fields": [{"name": "age", "type": "date", "constraints": {"minimum": "2000-01-01", "maximum": "2001-01-01"}}]})
    with pytest.raises(scumble.ScumbleError, match="cannot count column `age`"):
        scumble.MST(1.0, 1e-9).fit(table, wide, push_down=True)
