"""The notebooks as committed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def test_the_notebooks_exist() -> None:
    assert [path.name for path in NOTEBOOKS] == ["comparing_methods.ipynb", "first_release.ipynb"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_keeps_results_and_no_stream_noise(path: Path) -> None:
    cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    assert any(output["output_type"] == "execute_result" for output in outputs)
    assert [output for output in outputs if output.get("name") == "stderr"] == []
    assert [output for output in outputs if output.get("metadata", {}).get("scumble") == "progress"] == []
    assert [output for output in outputs if output["output_type"] == "error"] == []
