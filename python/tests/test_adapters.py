"""Adapters for benchmarks, with the real packages where they are installed: see `.ci/python-peers`."""

from __future__ import annotations

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
    assert set(schema.assumed) == set(schema) - {"smoker"}, "nobody has vouched for any of it, where there is something to vouch for"
    shares = schema.coverage(data).to_dict()["coverage"]["columns"]
    assert shares and all(column.get("unknown", 0) == 0 for column in shares)
    # Columns of one value, and of few, are tables too.
    plain = pandas.DataFrame({"one": [1] * 10, "same": [2.5] * 10, "text": ["a"] * 10, "when": pandas.to_datetime(["2024-01-01"] * 10)})
    assert len(scumble.MST(1.0, 1e-9).fit(plain, adapters.read_off(plain)).sample(5)) == 5


def test_a_method_has_three_names() -> None:
    assert adapters.named("Auto") is adapters.named("auto") is adapters.named(scumble.Auto) is scumble.Auto
    with pytest.raises(scumble.ScumbleError, match="no method"):
        adapters.named("nothing")


def test_a_table_without_a_schema_is_warned_of() -> None:
    with pytest.warns(adapters.ReadOffWarning):
        fitted = adapters.fitted(frame(), "MST", 1.0, 1e-9, None, {})
    assert len(fitted.sample(20)) == 20
    # With one there is nothing to warn of.
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
