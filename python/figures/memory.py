"""How much memory a fit needs beside a frame of polars of five million rows."""

from __future__ import annotations

import gc
import json
import multiprocessing
import tempfile
import time
from pathlib import Path

import polars as pl

import scumble

ROWS = 5_000_000
NAMES = [f"category {letter}" for letter in "abcdefgh"]


def status(name: str) -> int:
    """A line of the kernel's own account of this process, in bytes."""
    with open("/proc/self/status", encoding="ascii") as file:
        line = next(line for line in file if line.startswith(name))
    return int(line.split()[1]) * 1024


def make(path: Path) -> None:
    """Writes the frame to a file."""
    number = pl.int_range(ROWS, eager=True)
    spread = number.hash(seed=1)
    columns = {f"n{place}": ((spread // 7**place) % 50).cast(pl.Int64) for place in range(8)}
    texts = {f"t{place}": pl.Series(NAMES).gather((spread // 11**place) % 8) for place in range(4)}
    pl.DataFrame({**columns, **texts}).write_parquet(path)


def schema_of(data: pl.DataFrame) -> scumble.Schema:
    schema = scumble.Schema({"fields": []})
    for name, dtype in data.schema.items():
        if dtype == pl.String:
            schema = schema.add(name, "string", categories=NAMES, required=True, source="public")
        else:
            schema = schema.add(name, "integer", minimum=0, maximum=49, required=True, source="public")
    return schema


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Made by a process of its own, so that none of what making it took is left in this one.
        path = Path(folder) / "frame.parquet"
        maker = multiprocessing.get_context("spawn").Process(target=make, args=(path,))
        maker.start()
        maker.join()
        data = pl.read_parquet(path)
    schema = schema_of(data)
    size = data.estimated_size()
    # Whatever is made once, on first use, is made now.
    scumble.MST(1.0, 1e-9).fit(data.head(1_000), schema)
    gc.collect()
    # Allocators give memory back some seconds after it was freed.
    time.sleep(15)
    with open("/proc/self/clear_refs", "w", encoding="ascii") as file:
        file.write("5")
    before, began = status("VmRSS"), time.monotonic()
    scumble.MST(1.0, 1e-9).fit(data, schema, progress=False)
    took, most = time.monotonic() - began, status("VmHWM") - before
    share = round(most / size, 3)
    figures = [
        {"name": "5 million rows of polars", "value": round(size / 1e6), "unit": "MB", "bar": "12 columns", "holds": data.shape == (ROWS, 12)},
        {"name": "memory before the fit", "value": round(before / 1e6), "unit": "MB", "bar": "none", "holds": True},
        {"name": "peak memory above that", "value": round(most / 1e6), "unit": "MB", "bar": round(size / 1e6), "holds": most <= size},
        {"name": "copies of the data, at most", "value": share, "unit": "", "bar": 1, "holds": share <= 1},
        {"name": "time of the fit (mst)", "value": round(took, 1), "unit": "s", "bar": "none", "holds": True},
    ]
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main()
