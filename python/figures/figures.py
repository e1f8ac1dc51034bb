"""The figures of the Python package, each with its bar: run by `reproduce/python.sh`.

Every part runs in a fresh environment of its own, with the wheel and nothing but the packages it names.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
IMPORTS = 20
IMPORT = "import time; began = time.perf_counter(); import scumble; print(time.perf_counter() - began)"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def figure(name: str, value: Any, unit: str, bar: Any, holds: bool) -> dict[str, Any]:
    say(f"{name}: {value} {unit} (bar: {bar}){'' if holds else '  FALLS SHORT'}")
    return {"name": name, "value": value, "unit": unit, "bar": bar, "holds": holds}


def run(*command: Any, **options: Any) -> str:
    done = subprocess.run([str(word) for word in command], check=True, stdout=subprocess.PIPE, text=True, **options)
    return done.stdout


def environment(folder: Path, wheel: Path, *packages: str) -> Path:
    """The Python of a fresh environment with the wheel and these packages."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, *packages)
    return python


def build(folder: Path) -> Path:
    tools = folder / "tools"
    venv.create(tools, with_pip=True)
    run(tools / "bin" / "pip", "install", "--quiet", "maturin>=1.9,<2")
    run(tools / "bin" / "maturin", "build", "--release", "--locked", "--manifest-path", ROOT / "python" / "Cargo.toml", "--out", folder / "dist")
    (wheel,) = (folder / "dist").glob("*.whl")
    return wheel


def ten_lines() -> str:
    """The Python of the front page."""
    found = re.search(r"<!-- python -->\n```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found, "README.md has a block marked `python`"
    return found.group(1)


def bare(folder: Path, wheel: Path) -> list[dict[str, Any]]:
    """What the wheel is without any other package."""
    figures = [figure("size of the wheel", round(wheel.stat().st_size / 1e6, 1), "MB", 60, wheel.stat().st_size < 60e6)]
    python = environment(folder, wheel)
    packages = {package["name"] for package in json.loads(run(python, "-m", "pip", "list", "--format", "json"))} - {"pip", "setuptools"}
    figures.append(figure("packages in a fresh environment", ", ".join(sorted(packages)), "", "scumble", packages == {"scumble"}))
    run(python, "-c", IMPORT)
    times = [float(run(python, "-c", IMPORT)) for _ in range(IMPORTS)]
    middle = statistics.median(times)
    figures.append(figure(f"import, median of {IMPORTS} fresh processes", round(middle * 1e3, 1), "ms", 100, middle < 0.1))
    with tempfile.TemporaryDirectory() as clean:
        done = subprocess.run([python, "-c", ten_lines()], cwd=clean, capture_output=True, text=True, check=False)
    if done.returncode:
        say(done.stderr)
    figures.append(figure("lines of Python on the front page", len(ten_lines().splitlines()), "lines", "they run", done.returncode == 0))
    version = run(folder / "bin" / "scumble", "--version").strip()
    module = run(python, "-m", "scumble", "--version").strip()
    figures.append(figure("the program in the wheel", version, "", "the same by `python -m scumble`", version == module))
    return figures


def part(python: Path, name: str) -> list[dict[str, Any]]:
    """The figures that a program beside this one prints."""
    return [figure(**one) for one in json.loads(run(python, HERE / f"{name}.py").splitlines()[-1])["figures"]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, help="a wheel that was built before")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = (arguments.wheel or build(folder)).resolve()
        figures = bare(folder / "bare", wheel)
        python = environment(folder / "frames", wheel, "polars", "pandas", "pyarrow", "duckdb")
        for name in ("memory", "fork", "adult", "../tests/replay_frames"):
            figures += part(python, name)
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    main()
