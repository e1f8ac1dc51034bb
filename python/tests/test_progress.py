"""Progress on one line, which remains at the end."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import scumble
from scumble import _native, _progress
from scumble._progress import Progress


def screen(written: str) -> list[str]:
    """Returns the lines that a terminal shows in the end: a carriage return overwrites a line."""
    return [line.rsplit("\r", 1)[-1].rstrip() for line in written.split("\n") if line]


class Terminal:
    """The text written to standard error so far."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture
        self._written = ""

    def getvalue(self) -> str:
        self._written += self._capture.readouterr().err
        return self._written


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.setattr(_progress, "_PATIENCE_SECONDS", 0.0)
    monkeypatch.setattr(_progress, "_is_notebook", lambda: False)
    return Terminal(capsys)


def test_all_stages_share_one_line_that_stays(terminal: Terminal) -> None:
    with Progress(True, "fitted") as report:
        assert report is not None
        report("reading", 10, 100)
        report("reading", 100, 100)
        report("fitting", 0, 0)
        report("fitting", 30_000, 40_000)
        assert re.fullmatch(r"fitting █+░+ 75 % of about 40 s, 0 s", screen(terminal.getvalue())[0])
        report("fitting", 50_000, 40_000)
        assert screen(terminal.getvalue()) == ["fitting, longer than the forecast of 40 s, 0 s"]
    assert screen(terminal.getvalue()) == ["fitted in 0 s"]


def test_work_that_was_stopped_says_so_on_its_line(terminal: Terminal) -> None:
    with pytest.raises(ValueError, match="no"), Progress(True, "fitted") as report:
        assert report is not None
        report("a stage with a long name", 0, 0)
        raise ValueError("no")
    assert screen(terminal.getvalue()) == ["stopped after 0 s"]


def test_short_or_unattended_work_shows_no_progress(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Progress(None, "fitted") as report:
        assert report is None
    monkeypatch.setattr(_progress, "_PATIENCE_SECONDS", 60.0)
    with Progress(True, "fitted") as report:
        assert report is not None
        report("fitting", 0, 0)
    assert terminal.getvalue() == ""


def test_a_fit_leaves_one_line(terminal: Terminal, people: tuple[scumble.Table, scumble.Schema]) -> None:
    scumble.Auto(1.0, 1e-9, candidates=50, model_cells=10_000).fit(*people, progress=True)
    lines = screen(terminal.getvalue())
    assert len(lines) == 1 and re.fullmatch(r"fitted in \d+ s", lines[0])


def test_a_fit_of_a_file_reports_the_forecast_and_the_time_used(people: tuple[scumble.Table, scumble.Schema], tmp_path: Path) -> None:
    table, schema = people
    table.write(tmp_path / "people.csv")
    method, reported = scumble.Auto(1.0, 1e-9, candidates=50, model_cells=10_000), []
    for data in ([str(tmp_path / "people.csv")], table._native):
        stages: list[tuple[str, int, int]] = []
        _native.Model.fit(
            data,
            schema._native(),
            unit=None,
            max_rows=None,
            learn_share=None,
            dialect=None,
            check=None,
            method=method.method,
            options=method._options(),
            epsilon=1.0,
            delta=1e-9,
            ledger=None,
            resume=False,
            anew=False,
            accept_weak_privacy=False,
            save_to=None,
            format=None,
            threads=None,
            memory_limit=None,
            spill_directory=None,
            push_down=False,
            progress=lambda *state: stages.append(state),
        )
        reported.append([state for state in stages if state[0] == "fitting"])
    of_file, of_memory = reported
    used = [done for _, done, _ in of_file]
    assert {total for _, _, total in of_file} == {of_file[0][2]} and of_file[0][2] > 0
    assert used == sorted(used) and used[-1] > used[0]
    # The size of a frame reveals the number of its rows, so it gives no forecast.
    assert {total for _, _, total in of_memory} <= {0}


def test_a_notebook_has_one_output_that_is_replaced() -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    code = """
from scumble import _native, _progress
_progress._PATIENCE_SECONDS = 0.0
with _progress.Progress(None, "fitted") as report:
    report("reading", 10, 100)
    report("fitting", 0, 0)
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    nbclient.NotebookClient(notebook, timeout=60).execute()
    (output,) = notebook.cells[0].outputs
    assert output["data"]["text/plain"] == "fitted in 0 s" and output["metadata"] == {"scumble": "progress"}
