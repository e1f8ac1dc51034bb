"""Canaries, T12: no value or count of a recognisable frame is in a repr, a warning, an exception or an output.

``evaluate`` and ``Schema.coverage`` show exact figures to the steward of a table, stamped NOT DIFFERENTIALLY PRIVATE. They are exempt.
"""

from __future__ import annotations

import re
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import scumble
from scumble import _progress

CANARY = "canary7f3a"
ROWS = 737_411
CELLS = {
    ("red", "round"): 31_847,
    ("red", "square"): 20_514,
    ("green", "round"): 151_009,
    ("green", "square"): 135_898,
    ("blue", "round"): 202_987,
    ("blue", "square"): 177_767,
    ("blue", CANARY): 17_389,
}
COUNTS = {ROWS, 52_361, *CELLS.values()}
COUNTS |= {sum(count for cell, count in CELLS.items() if name in cell) for name in ("red", "green", "blue", "round", "square")}
# A budget so small that the noise of a count exceeds a hundred million: no released value equals
# a count by chance.
BUDGET = (1e-8, 1e-11)


def forms(count: int) -> list[str]:
    """Returns the notations of a count: for programs, for people, in progress lines and in the
    metrics of DataFusion."""
    separated = [f"{count // 1000}{mark}{count % 1000:03}" for mark in (",", "_", " ", "'", "\u202f")]
    short = f"{count / 1000:.3g}"
    return [str(count), *separated, f"{short}k", f"{short} K", f"{count / 1000:.1f} K", f"{count / 1000:.2f} K"]


IN_ANY_FORM = re.compile("|".join(rf"(?<![\w.]){re.escape(form)}(?!\w)" for count in sorted(COUNTS) for form in forms(count)))


def assert_clean(what: str, text: str) -> None:
    assert CANARY not in text, what
    found = IN_ANY_FORM.search(text)
    assert found is None, f"{what} holds {found and found.group()}"


def columns() -> dict[str, list[str]]:
    rows = [cell for cell, count in CELLS.items() for _ in range(count)]
    assert len(rows) == ROWS
    return {"colour": [colour for colour, _ in rows], "shape": [shape for _, shape in rows]}


def schema_of(shape: str = "shape", **terms: Any) -> scumble.Schema:
    fields = [
        {"name": "colour", "type": "string", "constraints": {"enum": ["red", "green", "blue"]}},
        {"name": shape, "type": "string", "constraints": {"enum": ["round", "square"]}, "dp": {"open": True}},
    ]
    return scumble.Schema({"fields": fields, **terms})


def everything_about(thing: Any) -> str:
    """Returns everything that a console or a notebook shows of it."""
    html = getattr(thing, "_repr_html_", str)
    return "\n".join((repr(thing), str(thing), html()))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_counts_are_in_no_repr_no_warning_and_no_output(
    library: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    module = pytest.importorskip(library)
    frame = module.table(columns()) if library == "pyarrow" else module.DataFrame(columns())
    schema = schema_of()
    monkeypatch.setenv("RUST_LOG", "trace")
    # Progress is shown from the first report on.
    monkeypatch.setattr(_progress, "_PATIENCE_SECONDS", 0.0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ledger = scumble.Ledger.create(tmp_path / "table.ledger", schema, epsilon=1.0, delta=1e-6)
        method = scumble.MST(*BUDGET).fit(frame, schema, ledger=ledger, save_to=tmp_path / "a.model", progress=True)
        model = method.model_
        things = (method, model, model.certificate, model.inspect(), model.schema, ledger, ledger.show(), method.report(), model._source)
        method.sample(300, seed=1, progress=True)
        scumble.bundle(tmp_path / "a.model", tmp_path / "bundled", rows=300)
    assert any(issubclass(one.category, scumble.AssumedWarning) for one in caught)
    for one in caught:
        assert_clean("a warning", f"{one.message!r} {one.message}")
    for thing in things:
        assert_clean(type(thing).__name__, everything_about(thing))
    shown = capfd.readouterr()
    assert_clean("what is printed", shown.out + shown.err)
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert_clean(path.name, path.read_bytes().decode(errors="replace"))


def test_counts_are_in_no_exception(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(columns())
    schema = schema_of()
    ledger = scumble.Ledger.create(tmp_path / "table.ledger", schema, epsilon=BUDGET[0] / 2, delta=BUDGET[1])
    failures: list[tuple[type[Exception], Callable[[], object]]] = [
        (scumble.ScumbleError, lambda: scumble.MST(*BUDGET).fit(frame, schema_of("form"))),
        (scumble.BudgetError, lambda: scumble.MST(*BUDGET).fit(frame, schema, ledger=ledger)),
        (scumble.StorageError, lambda: scumble.MST(*BUDGET).fit(frame, schema, save_to=tmp_path / "nowhere" / "a.model")),
        (scumble.ScumbleError, lambda: scumble.MST(*BUDGET).fit(frame, schema_of(dp={"privacyUnit": "person", "maxContributions": 2}))),
    ]
    for kind, fail in failures:
        with pytest.raises(kind) as error:
            fail()
        assert_clean(kind.__name__, repr(error.value) + "".join(traceback.format_exception(error.value)))


def test_a_count_is_found_in_all_its_forms_and_nowhere_else() -> None:
    for text in ("n=737411,", "737,411 rows", "737_411", "737k/737k", "737.4 K", "52.36 K", "[52361]"):
        assert IN_ANY_FORM.search(text), text
    for text in ("0.737411", "a52361", "7374110", "52.36 KB", "737412"):
        assert not IN_ANY_FORM.search(text), text
