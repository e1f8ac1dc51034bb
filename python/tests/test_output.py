"""Existing files are replaced only with ``force``, and inputs never."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

import scumble

People = tuple[scumble.Table, scumble.Schema]

PRECIOUS = "precious"


@pytest.fixture
def taken(tmp_path: Path) -> Path:
    path = tmp_path / "taken.csv"
    path.write_text(PRECIOUS)
    return path


Write = Callable[[scumble.MST, People, Path, bool], object]

WRITES: dict[str, Write] = {
    "save": lambda fitted, people, path, force: fitted.save(path, force=force),
    "write": lambda fitted, people, path, force: fitted.write(path, 10, force=force),
    "write_marginals": lambda fitted, people, path, force: fitted.write_marginals(path, force=force),
    "report": lambda fitted, people, path, force: fitted.report(path, force=force),
    "model.save": lambda fitted, people, path, force: fitted.model_.save(path, force=force),
    "schema.save": lambda fitted, people, path, force: people[1].save(path, force=force),
    "table.write": lambda fitted, people, path, force: people[0].write(path, force=force),
    "evaluation.page": lambda fitted, people, path, force: scumble.evaluate(
        people[0], fitted.sample(200), people[1], quick=True, orders=[1]
    ).page(path, force=force),
    "fit": lambda fitted, people, path, force: scumble.MST(1.0, 1e-9).fit(*people, save_to=path, force=force),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_an_existing_file_is_replaced_only_with_force(write: Write, fitted: scumble.MST, people: People, taken: Path) -> None:
    with pytest.raises(scumble.OutputExistsError, match="taken.csv. exists already") as error:
        write(fitted, people, taken, False)
    assert isinstance(error.value, FileExistsError) and isinstance(error.value, scumble.UsageError)
    assert error.value.filename == str(taken) and "force=True" in str(error.value.hint)
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    assert taken.read_text() == PRECIOUS
    write(fitted, people, taken, True)
    assert taken.read_bytes() != PRECIOUS.encode()
    # A broken link is kept too.
    link = taken.with_name("link.csv")
    link.symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        write(fitted, people, link, False)


def test_ledgers_and_bundles_are_never_replaced(fitted: scumble.MST, people: People, taken: Path) -> None:
    with pytest.raises(scumble.OutputExistsError):
        scumble.Ledger.create(taken, people[1], epsilon=1.0, delta=1e-9)
    with pytest.raises(scumble.OutputExistsError):
        scumble.bundle(fitted, taken, rows=10)
    assert taken.read_text() == PRECIOUS


def test_a_fit_that_could_not_be_saved_is_refused_before_anything_is_spent(people: People, taken: Path) -> None:
    table, schema = people
    ledger = scumble.Ledger.create(taken.with_name("a.ledger"), schema, epsilon=1.0, delta=1e-9)
    method = scumble.MST(1.0, 1e-9)
    with pytest.raises(scumble.OutputExistsError):
        method.fit(table, schema, ledger=ledger, save_to=taken)
    with pytest.raises(scumble.StorageError, match="no folder"):
        method.fit(table, schema, ledger=ledger, save_to=taken.parent / "nowhere" / "a.model")
    assert ledger.show().to_dict()["jobs"] == [] and not hasattr(method, "model_")
    method.fit(table, schema, ledger=ledger, save_to=taken, force=True)
    assert scumble.load(taken).fingerprint == method.fingerprint


def test_an_input_is_never_replaced_whatever_its_spelling(people: People, tmp_path: Path) -> None:
    table, schema = people
    folder = tmp_path / "rows"
    folder.mkdir()
    data, written = folder / "real.csv", tmp_path / "people.schema.yaml"
    table.write(data)
    schema.save(written)
    ledger = scumble.Ledger.create(tmp_path / "a.ledger", schema, epsilon=1.0, delta=1e-9)
    soft, hard = tmp_path / "soft.csv", tmp_path / "hard.csv"
    soft.symlink_to(data)
    os.link(data, hard)
    before = {path: path.read_bytes() for path in (data, written, tmp_path / "a.ledger")}
    method = scumble.MST(1.0, 1e-9)
    around = folder / ".." / "rows" / "real.csv"
    for inputs, output in (
        (data, data),
        ([data], around),
        (data, soft),
        (data, hard),
        (folder / "*.csv", data),
        (folder / "*.csv", folder / "new.csv"),
        (folder, folder / "new.model"),
        (data, written),
        (data, tmp_path / "a.ledger"),
    ):
        with pytest.raises(scumble.UsageError, match="is the input|lies in the input"):
            method.fit(inputs, written, ledger=ledger, save_to=output, force=True)
    assert {path: path.read_bytes() for path in before} == before
