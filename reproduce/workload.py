"""Errors of `auto` with a workload of ten tables, beside those without, at epsilon 1.

    workload.py [--table acs_national2019] [--workloads 3] [--runs 3] [--delta 1e-5]

A workload is five pairs and five sets of three columns, drawn with a public seed. The error of a table is half the L1 distance of its shares
in synthetic rows from those in the data. Needs the program as `SCUMBLE_BIN`. The last line on standard output is one JSON object with the
figures and their bars.
"""

import argparse
import itertools
import json
import os
import random
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("SCUMBLE_BENCH_DATA", ROOT / ".." / "shared" / "data"))
PROGRAM = os.environ.get("SCUMBLE_BIN", "scumble")
NAMED_BAR, OTHERS_BAR = 0.7, 1.1
SEED = 2026


def draw_workload(columns: list[str], number: int) -> set[tuple[str, ...]]:
    """Five pairs and five sets of three columns."""
    rng, named = random.Random(SEED + number), set()
    for size, enough in ((2, 5), (3, 10)):
        while len(named) < enough:
            places = sorted(rng.sample(range(len(columns)), size))
            named.add(tuple(columns[place] for place in places))
    return named


def errors(real: pd.DataFrame, synthetic: pd.DataFrame, sizes: dict[str, int], sets: list[tuple[str, ...]]) -> np.ndarray:
    def shares(rows: pd.DataFrame, columns: tuple[str, ...]) -> np.ndarray:
        codes = np.zeros(len(rows), dtype=np.int64)
        for column in columns:
            codes = codes * sizes[column] + rows[column].to_numpy()
        return np.bincount(codes, minlength=int(np.prod([sizes[column] for column in columns]))) / len(rows)

    return np.array([np.abs(shares(real, columns) - shares(synthetic, columns)).sum() / 2 for columns in sets])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="acs_national2019")
    parser.add_argument("--workloads", type=int, default=3)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--delta", default="1e-5")
    arguments = parser.parse_args()
    folder = DATA / arguments.table
    real = pd.read_csv(folder / "data.csv")
    sizes = json.loads((folder / "domain.json").read_text())
    columns = list(real.columns)
    sets = [*itertools.combinations(columns, 2), *itertools.combinations(columns, 3)]

    with tempfile.TemporaryDirectory() as work:
        schema, output, file = (Path(work) / name for name in ("schema.json", "rows.csv", "workload.json"))
        constraints = {name: {"minimum": 0, "maximum": sizes[name] - 1, "required": True} for name in columns}
        fields = [
            {"name": name, "type": "integer", "constraints": constraints[name], "dp": {"source": "public"}} for name in columns
        ]
        schema.write_text(json.dumps({"fields": fields}))

        def mean_errors(*options: str) -> np.ndarray:
            found = []
            for _ in range(arguments.runs):
                command = [PROGRAM, "synth", str(folder / "data.csv"), "--schema", str(schema), "--output", str(output), "--force"]
                budget = ["--epsilon", "1", "--delta", arguments.delta, "--method", "auto"]
                subprocess.run([*command, *budget, *options], check=True, capture_output=True)
                found.append(errors(real, pd.read_csv(output), sizes, sets))
            return np.mean(found, axis=0)

        without = mean_errors()
        named_ratios, other_ratios = [], []
        for number in range(arguments.workloads):
            named = draw_workload(columns, number)
            file.write_text(json.dumps({"tables": [{"columns": list(table)} for table in sorted(named)]}))
            with_workload = mean_errors("--workload", str(file))
            is_named = np.array([table in named for table in sets])
            is_other = np.array([len(table) == 3 and table not in named for table in sets])
            named_ratios.append((with_workload[is_named].mean(), without[is_named].mean()))
            other_ratios.append((with_workload[is_other].mean(), without[is_other].mean()))
            print(f"workload {number}: named {named_ratios[-1][0]:.4f} of {named_ratios[-1][1]:.4f}, "
                  f"others {other_ratios[-1][0]:.4f} of {other_ratios[-1][1]:.4f}", flush=True)

    figures = []
    for name, ratios, bar in (("named tables", named_ratios, NAMED_BAR), ("other tables of three columns", other_ratios, OTHERS_BAR)):
        value = sum(with_one for with_one, _ in ratios) / sum(without_one for _, without_one in ratios)
        figures.append({
            "name": f"error of {name} with a workload, {arguments.table}",
            "value": round(value, 3),
            "unit": "of that without",
            "bar": bar,
            "holds": bool(value <= bar),
        })
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main()
