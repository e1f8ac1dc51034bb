"""Schemas in code."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import scumble


def test_a_schema_is_loaded_edited_and_saved(tmp_path: Path) -> None:
    _, schema = scumble.demo(10)
    schema.save(tmp_path / "people.schema.yaml")
    read = scumble.Schema.load(tmp_path / "people.schema.yaml")
    assert read == schema and list(read) == list(schema) and len(read) == 14 and "age" in read
    coarse = read.edit("age", bins={"width": 4}, title="Age")
    assert coarse != read and coarse.columns[3].codes < read.columns[3].codes
    assert coarse.edit("age", title=None).to_dict()["fields"][3].get("title") is None
    assert "age" not in read.drop("age") and "age" in read
    assert len(read.to_dict()["dp"]["rules"]) == 5 and len(read.drop("age").check().to_dict()["dp"]["rules"]) == 1
    more = read.add("shoe", "integer", minimum=20, maximum=50, source="public")
    assert more.columns[-1].codes == 32 and not more.columns[-1].assumed
    assert pickle.loads(pickle.dumps(more)) == more
    assert more.privacy(max_contributions=3).to_dict()["dp"]["maxContributions"] == 3
    for wrong in (lambda: read.edit("nothing"), lambda: read.edit("age", colour=1), lambda: read.privacy(colour=1), lambda: read.drop("nothing"), lambda: read.add("age", "integer")):
        with pytest.raises(scumble.UsageError) as error:
            wrong()
        assert error.value.hint


def test_many_columns_are_edited_at_once() -> None:
    names = [f"q_{number}" for number in range(40)]
    schema = scumble.Schema({"fields": [{"name": name, "type": "string"} for name in ["who", *names]]})
    several = schema.edit(names, type="integer", minimum=0, maximum=4, source="public")
    assert all(field["dp"] == {"source": "public"} for field in several.to_dict()["fields"][1:])
    assert "constraints" not in several.to_dict()["fields"][0] and len(several.problems()) == 1
    assert schema.edit(name for name in schema if name.startswith("q_")) == schema
    each = several.edit({"who": {"categories": ["a", "b"]}, "q_3": {"maximum": 9, "title": "Third"}}, title="A question", required=True)
    assert not each.problems() and [each.columns[place].codes for place in (0, 4, 5)] == [2, 10, 6]
    assert [field.get("title") for field in each.to_dict()["fields"]][:5] == ["A question", None, None, None, "Third"]
    # All columns or none, and every unknown column is listed.
    with pytest.raises(scumble.UsageError) as error:
        schema.edit(["q_1", "Q_2", "nothing"], minimum=0)
    assert len(error.value.problems) == 2 and error.value.hint == "did you mean `q_2`?"
    with pytest.raises(scumble.UsageError, match="did you mean `minimum`"):
        schema.edit({"q_1": {"minimun": 0}})


def test_all_problems_are_listed_at_once() -> None:
    schema = scumble.Schema({"fields": [{"name": "age", "type": "integer"}, {"name": "sex", "type": "string"}]})
    assert len(schema.problems()) == 2 and "2 problems" in repr(schema)
    assert "Left to say" in schema._repr_html_()
    with pytest.raises(scumble.SchemaError) as error:
        schema.check()
    assert len(error.value.problems) == 2 and all(hint for _, hint in error.value.problems)
    again = pickle.loads(pickle.dumps(error.value))
    assert type(again) is scumble.SchemaError and str(again) == str(error.value)
    with pytest.raises(scumble.SchemaError):
        scumble.Schema("fields: [")
    with pytest.raises(scumble.StorageError, match="nowhere.yaml"):
        scumble.Schema.load("nowhere.yaml")


def test_a_whole_schema_is_shown(people: tuple[scumble.Table, scumble.Schema]) -> None:
    table, schema = people
    assert "neighbours" in schema._repr_html_() and not schema.problems()
    assert schema.categories("sex") and schema.categories("age") is None
    covered = schema.coverage(table)
    assert repr(covered).startswith("NOT DIFFERENTIALLY PRIVATE") and covered.to_dict()["coverage"]


def frames(columns: dict[str, list[Any]], kind: str) -> Any:
    module = pytest.importorskip(kind)
    if kind == "pandas":
        return module.DataFrame(columns)
    if kind == "polars":
        return module.DataFrame(columns)
    if kind == "pyarrow":
        return module.table(columns)
    arrow = pytest.importorskip("pyarrow").table(columns)
    return module.from_arrow(arrow)


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_draft_takes_names_and_types_and_no_value(kind: str) -> None:
    canary = "canary-in-the-data"
    columns = {"name": [canary, "b"], "age": [41, 12345678], "height": [1.5, 98765.4321], "member": [True, False]}
    draft = scumble.Schema.draft(frames(columns, kind))
    assert [(field["name"], field["type"]) for field in draft.to_dict()["fields"]] == [
        ("name", "string"),
        ("age", "integer"),
        ("height", "number"),
        ("member", "boolean"),
    ]
    text = draft.to_yaml()
    assert canary not in text and "12345678" not in text and "98765" not in text
    assert draft.problems()


def test_a_draft_of_categoricals_has_none_of_their_categories() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    frame = pandas.DataFrame({"who": pandas.Categorical(["canary", "b"])})
    assert "canary" not in scumble.Schema.draft(frame).to_yaml()
    lazy = polars.DataFrame({"who": polars.Series(["canary"], dtype=polars.Enum(["canary", "b"]))}).lazy()
    draft = scumble.Schema.draft(lazy)
    assert "canary" not in draft.to_yaml() and draft.to_dict()["fields"][0]["type"] == "string"


def test_a_draft_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age,sex\n41,f\n")
    assert list(scumble.Schema.draft(tmp_path / "a.csv")) == ["age", "sex"]
