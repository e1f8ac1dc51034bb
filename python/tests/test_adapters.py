"""Adapters for benchmarks, with the real packages if they are installed: see `.ci/python-peers`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import scumble
from scumble import adapters

pandas = pytest.importorskip("pandas")


def frame() -> Any:
    table, _ = scumble.demo(1_500)
    return table.to_pandas()


def test_what_is_read_off_a_table_covers_all_of_it() -> None:
    data = frame()
    data["empty"] = None
    schema = adapters.read_off(data)
    assert list(schema) == [name for name in data.columns if name != "empty"]
    assert schema.assumed == [] and all(column.read_off_data for column in schema.columns)
    assert schema.assumptions == ["domain-from-data"] and "no: read off the data" in schema._repr_html_()
    shares = schema.coverage(data).to_dict()["coverage"]["columns"]
    assert shares and all(column.get("unknown", 0) == 0 for column in shares)
    # Columns of one value, and of few, are valid too.
    plain = pandas.DataFrame({"one": [1] * 10, "same": [2.5] * 10, "text": ["a"] * 10, "when": pandas.to_datetime(["2024-01-01"] * 10)})
    assert len(scumble.MST(1.0, 1e-9).fit(plain, adapters.read_off(plain)).sample(5)) == 5


def test_what_was_read_off_marks_model_certificate_report_and_bundle(tmp_path: Path) -> None:
    data = frame()[["sex", "age", "smoker"]]
    statement = "read off the real rows without a release"
    for schema, marked in ((adapters.read_off(data), True), (declared(), False)):
        model = scumble.MST(1.0, 1e-9).fit(data, schema).model_
        path = tmp_path / f"{marked}.model"
        model.save(path)
        # The model, also read from a file, and its descriptions.
        for read in (model, scumble.Model.load(path)):
            assert (statement in read.guarantee) is marked
            assert (statement in repr(read.inspect())) is marked and (statement in read.inspect().explanation) is marked
            assert read.inspect().to_dict().get("assumptions", []) == read.schema.assumptions == (["domain-from-data"] if marked else [])
            assert all(column.read_off_data is marked for column in read.schema.columns)
            certificate = read.certificate
            assert certificate is not None and certificate.assumptions == read.schema.assumptions
            assert ("domain-from-data" in certificate._repr_html_()) is marked and (statement in certificate.guarantee) is marked
            assert certificate.to_dict().get("assumptions", []) == certificate.assumptions
            assert (statement in read.report()) is marked
        folder = tmp_path / f"bundle-{marked}"
        scumble.bundle(model, folder, rows=50, seed=1, date="2026-11-17", title="People")
        assert scumble.verify(folder).ok
        for name in ("README.md", "datapackage.json", "croissant.json", "report.html", "registry-entry.yaml", "certificate.json"):
            text = " ".join((folder / name).read_text(encoding="utf-8").split())
            said = statement in text or '"domain-from-data"' in text
            assert said is marked, name


def declared() -> scumble.Schema:
    ages = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 119}, "dp": {"source": "public", "bins": {"width": 10}}}
    sexes = {"name": "sex", "type": "string", "constraints": {"enum": ["female", "male"]}, "dp": {"source": "public"}}
    return scumble.Schema({"fields": [sexes, ages, {"name": "smoker", "type": "boolean"}]})


def test_a_method_has_three_names() -> None:
    assert adapters.named("Auto") is adapters.named("auto") is adapters.named(scumble.Auto) is scumble.Auto
    with pytest.raises(scumble.ScumbleError, match="no method"):
        adapters.named("nothing")


def test_a_table_without_a_schema_is_warned_of() -> None:
    with pytest.warns(adapters.ReadOffWarning):
        fitted = adapters.fitted(frame(), "MST", 1.0, 1e-9, None, {})
    assert len(fitted.sample(20)) == 20
    # With a schema there is no warning.
    assert adapters.fitted(frame(), "MST", 1.0, 1e-9, scumble.demo(1)[1], {"merge_below": 2.0})


@pytest.mark.filterwarnings("default")
def test_sdgym_runs_us() -> None:
    sdgym = pytest.importorskip("sdgym")
    from sdv.metadata import Metadata

    from scumble.adapters.sdgym import synthesizer

    data = frame()[["sex", "age", "region", "smoker"]]
    ours = synthesizer("MST", epsilon=1.0, delta=1e-9)
    assert issubclass(ours, sdgym.synthesizers.base.BaselineSynthesizer)
    metadata = Metadata.detect_from_dataframe(data)
    trained = ours().get_trained_synthesizer(data, metadata.to_dict())
    rows = ours().sample_from_synthesizer(trained, 100)
    assert list(rows.columns) == list(data.columns) and len(rows) == 100


@pytest.mark.filterwarnings("default")
def test_synthcity_runs_us() -> None:
    pytest.importorskip("synthcity.plugins", exc_type=Exception, reason="synthcity is not installed, or cannot be imported")
    from synthcity.plugins import Plugins
    from synthcity.plugins.core.dataloader import GenericDataLoader

    from scumble.adapters.synthcity import plugin

    data = frame()[["region", "age", "household_size"]]
    plugins = Plugins(categories=["privacy"])
    plugins.add("scumble_mst", plugin("MST", epsilon=1.0, delta=1e-9))
    rows = plugins.get("scumble_mst").fit(GenericDataLoader(data)).generate(100).dataframe()
    assert list(rows.columns) == list(data.columns) and len(rows) == 100
