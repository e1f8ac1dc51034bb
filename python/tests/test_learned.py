"""Tables without a schema: columns are learned within the budget of the fit."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

import scumble

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def visits() -> Any:
    """A frame of 20,000 visits of 10,000 people."""
    rows = range(20_000)
    return pd.DataFrame(
        {
            "person": [row // 2 for row in rows],
            "ward": [("north", "south", "east")[row * 7 % 3] for row in rows],
            "age": [18 + row * 31 % 70 for row in rows],
            "fee": [None if row % 5 == 0 else round(row * 7 % 9_000 / 10, 2) for row in rows],
            "paid": [row % 3 == 0 for row in rows],
            "day": pd.to_datetime([f"2024-{1 + row % 12:02}-{1 + row % 28:02}" for row in rows]),
            "note": [f"call of {row}" for row in rows],
        }
    )


def test_a_frame_is_fitted_without_a_schema(visits: Any) -> None:
    method = scumble.Auto(epsilon=4, delta=1e-9).fit(visits, unit="person", max_rows=2)
    model = method.model_
    assert set(model.learned_columns) == {"ward", "age", "fee", "day", "note"}
    assert "3 categories" in model.learned_columns["ward"]
    assert "not modelled" in model.learned_columns["note"]
    assert "integer" in model.learned_columns["age"]
    synthetic = method.sample(500)
    assert list(synthetic.columns) == [name for name in visits.columns if name != "person"]
    assert set(synthetic["ward"]) <= {"north", "south", "east", "other"}
    # The schema that was learned serves further fits.
    again = scumble.Auto(epsilon=1, delta=1e-9).fit(visits, model.schema)
    assert again.model_.learned_columns == {}


def test_terms_of_a_table_without_a_schema_are_refused_beside_one(visits: Any) -> None:
    _, schema = scumble.demo(rows=10)
    for terms in ({"unit": "person"}, {"max_rows": 2}, {"learn_share": 0.3}):
        with pytest.raises(scumble.UsageError, match="without a schema"):
            scumble.Auto(epsilon=1, delta=1e-9).fit(visits, schema, **terms)
    with pytest.raises(scumble.UsageError, match="without a schema"):
        scumble.Auto(epsilon=1, delta=1e-9).fit("visits.csv", schema, dialect={"delimiter": ";"})
    with pytest.raises(scumble.UsageError, match="learn_share"):
        scumble.Auto(epsilon=1, delta=1e-9).fit(visits, learn_share=1.5)


def test_a_table_in_memory_has_no_dialect(visits: Any) -> None:
    with pytest.raises(scumble.UsageError, match="no file"):
        scumble.Auto(epsilon=1, delta=1e-9).fit(visits, dialect={"delimiter": ";"})
    with pytest.raises(scumble.UsageError, match="no file"):
        scumble.Schema.draft(visits, dialect={"delimiter": ";"})


def test_columns_of_lists_and_durations_are_left_out(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 2_000
    wards = [("north", "south")[row % 2] for row in range(rows)]
    stays = pyarrow.array([row % 9 for row in range(rows)], pyarrow.duration("s"))
    parquet.write_table(pyarrow.table({"ward": wards, "codes": [["I21"]] * rows, "stay": stays}), tmp_path / "visits.parquet")
    method = scumble.Independent(epsilon=4, delta=1e-9).fit(tmp_path / "visits.parquet")
    assert list(method.model_.schema) == ["ward"] and set(method.model_.learned_columns) == {"ward"}


def test_times_of_day_are_learned() -> None:
    frame = pd.DataFrame({"woke": [dt.time(5 + row * 7 % 4, row % 60) for row in range(6_000)], "ill": [row % 3 == 0 for row in range(6_000)]})
    method = scumble.Independent(epsilon=4, delta=1e-9).fit(frame)
    assert method.model_.learned_columns["woke"].startswith("time from 00:00:00 to 24:00:00")
    woke = method.sample(500, seed=1)["woke"].dropna()
    assert {type(time) for time in woke} == {dt.time}
    assert woke.map(lambda time: 5 <= time.hour < 9).mean() > 0.9


def test_categories_need_a_delta(visits: Any) -> None:
    with pytest.raises(scumble.UsageError, match="delta"):
        scumble.PBPGM(epsilon=1, delta=0).fit(visits)


def test_a_first_row_that_was_read_as_a_header_is_not_released(tmp_path: Path) -> None:
    file = tmp_path / "wards.csv"
    file.write_text("".join(f"{('north', 'south')[row % 2]},{18 + row * 31 % 70}\n" for row in range(4_000)))
    method = scumble.Auto(epsilon=4, delta=1e-9)
    for data in (pd.read_csv(file), str(file)):
        with pytest.raises(scumble.UsageError, match="may be a row: the name of column 2 is a number") as refused:
            method.fit(data)
        assert "names" in refused.value.hint.lower() and "north" not in str(refused.value)
    named = {"delimiter": ",", "columnNames": ["ward", "age"]}
    assert set(method.fit(str(file), dialect=named).model_.learned_columns) == {"ward", "age"}
    assert set(method.fit(pd.read_csv(file, names=["ward", "age"])).model_.learned_columns) == {"ward", "age"}
    # pandas numbers the columns of a file without a header; these numbers are not values.
    assert set(method.fit(pd.read_csv(file, header=None)).model_.learned_columns) == {"0", "1"}

    draft = scumble.Schema.draft(str(file), dialect=named)
    assert list(draft) == ["ward", "age"] and draft.to_dict()["dialect"]["columnNames"] == ["ward", "age"]
    with pytest.raises(scumble.UsageError, match="`dialect`.*unknown field `delimeter`"):
        method.fit(str(file), dialect={"delimeter": ";"})
