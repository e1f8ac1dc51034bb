"""The library and the program agree: each reads the files of the other, and both draw the same
rows."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import scumble


def program(*words: Any) -> Any:
    run = subprocess.run([sys.executable, "-m", "scumble", *map(str, words), "--json"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    return json.loads(run.stdout)


def first_answers(fitted: Any) -> list[Any]:
    """Returns the tables measured before the first selection. The number of selections depends on
    their noise."""
    noises = [event["mechanism"] for event in fitted.certificate.events]
    return list(itertools.takewhile(lambda noise: "exponential" not in noise, noises))


def timeless(plan: dict[str, Any]) -> dict[str, Any]:
    """Returns a plan without its times, which depend on the speed of the machine."""
    assert plan.pop("machine")["slowness"] > 0
    assert all(forecast["cost"].pop("cpu_seconds") > 0 for forecast in plan["forecasts"])
    return plan


def test_the_same_released_values_give_the_same_results(tmp_path: Path) -> None:
    """Noise cannot be repeated, so both start from one model: their results are byte-identical."""
    program("demo", "--rows", 3000, "-o", tmp_path)
    schema, data = tmp_path / "people.schema.yaml", tmp_path / "people.csv"
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir(), theirs.mkdir()

    program("fit", data, "--schema", schema, "--epsilon", 1, "--delta", 1e-9, "--method", "mst", "-o", theirs / "a.model")
    of_program = scumble.load(theirs / "a.model")
    fitted = scumble.MST(1.0, 1e-9).fit(data, schema, save_to=ours / "b.model")
    assert first_answers(fitted) == first_answers(of_program), "the same first questions with the same noise"
    assert repr(fitted) == repr(of_program)

    for model, name in ((of_program, theirs / "a.model"), (fitted, ours / "b.model")):
        for output in (f"{name.stem}.{form}" for form in ("csv", "parquet", "arrow")):
            program("sample", name, "--rows", 700, "--seed", 5, "-o", theirs / output)
            model.write(ours / output, 700, seed=5)
            assert (ours / output).read_bytes() == (theirs / output).read_bytes(), output
        page = theirs / f"{name.stem}.html"
        program("report", name, "-o", page)
        assert model.report() == page.read_text(encoding="utf-8")
        printed = program("inspect", name)
        printed.pop("explanation")
        assert model.inspect().to_dict() == printed
        again = ours / f"{name.stem}-again.model"
        model.save(again)
        assert again.read_bytes() == name.read_bytes()
        program("bundle", name, "--rows", 50, "--seed", 1, "--date", "2026-11-16", "-o", theirs / f"{name.stem}-release")
        scumble.bundle(model, ours / f"{name.stem}-release", rows=50, seed=1, date="2026-11-16")
        for file in (theirs / f"{name.stem}-release").rglob("*"):
            if file.is_file():
                same = ours / f"{name.stem}-release" / file.relative_to(theirs / f"{name.stem}-release")
                assert same.read_bytes() == file.read_bytes(), file.name

    planned = program("plan", "--schema", schema, "--rows-hint", 3000, "-e", 1, "--method", "mst")
    assert timeless(scumble.plan(schema, 3000, 1.0, methods="mst").to_dict()) == timeless(planned)
    judged = program("evaluate", "--real", data, "--synth", theirs / "a.parquet", "--schema", schema, "--quick")
    judged.pop("output")
    assert scumble.evaluate(data, theirs / "a.parquet", schema, quick=True).to_dict() == judged


def test_a_ledger_is_one_for_both(tmp_path: Path) -> None:
    program("demo", "--rows", 500, "-o", tmp_path)
    schema, data = tmp_path / "people.schema.yaml", tmp_path / "people.csv"
    ledger = scumble.Ledger.create(tmp_path / "a.ledger", schema, epsilon=5.0, delta=1e-9)
    scumble.MST(1.0, 1e-9).fit(data, schema, ledger=ledger, save_to=tmp_path / "a.model")
    program("fit", data, "--schema", schema, "--epsilon", 1, "--delta", 1e-9, "--ledger", ledger.path, "-o", tmp_path / "b.model")
    printed = program("ledger", "show", ledger.path)
    ours = ledger.show().to_dict()
    assert {name: ours[name] for name in printed} == printed and len(printed["jobs"]) == 2
