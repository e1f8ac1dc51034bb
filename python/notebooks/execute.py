"""Executes notebooks from their first cell to their last, and fails with the first cell that does.

    python python/notebooks/execute.py                # every notebook beside this program; results are thrown away
    python python/notebooks/execute.py --write        # the same, and what the cells show is kept in the notebooks

What is kept is what a reader comes for: no progress, and nothing of standard error. A warning belongs into the text beside the cell.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("SCUMBLE_BENCH_DATA", HERE.parents[2] / "shared" / "data"))
NEEDS = {"comparing_methods.ipynb": DATA / "adult" / "raw.csv"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep what the cells show")
    arguments = parser.parse_args()
    for path in sorted(HERE.glob("*.ipynb")):
        needed = NEEDS.get(path.name)
        if needed is not None and not needed.exists():
            print(f"SKIPPED {path.name}: there is no {needed}; set SCUMBLE_BENCH_DATA")
            continue
        notebook = nbformat.read(path, as_version=4)
        began = time.monotonic()
        NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(HERE)}}).execute()
        print(f"executed {path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells in {time.monotonic() - began:.0f} s")
        if arguments.write:
            nbformat.write(without_noise(notebook), path)


def without_noise(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without what is of no interest to a reader and would change with every run: when, how fast, how far."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if not is_noise(output)]
    return notebook


def is_noise(output: nbformat.NotebookNode) -> bool:
    return output.get("name") == "stderr" or output.get("metadata", {}).get("scumble") == "progress"


if __name__ == "__main__":
    sys.exit(main())
