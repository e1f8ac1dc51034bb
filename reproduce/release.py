"""Quality figures that are released with noise, and releases under criteria: are the figures right, and what do they cost?

    release.py [coverage|width|utility|births] [--tables adult,demo] [--runs 20] [--epsilons 4.99,1] [--output FOLDER] [--resume]

- coverage: 5 % of the budget of a fit pays for figures of its rows. Share of their 95 % intervals that have the exact value.
- width: half the width of the interval of the mean error of tables over three columns, on adult.
- utility: error of the rows of such fits, relative to that of fits which spend everything on the model.
- births: releases of a made-up registry of 170,000 births under criteria. Number of them that pass.

Without a part, all of them. Needs the program as `SCUMBLE_BIN`, and for the first three the benchmark tables in
`SCUMBLE_BENCH_DATA`. Writes `release-fits.csv`, a line per fit, `release-figures.csv`, a line per figure of a fit, and
`release-births.csv`, a line per release. The last line on standard output is one JSON object with the figures and their bars.
"""

import argparse
import bisect
import collections
import csv
import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import births

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DATA = Path(os.environ.get("SCUMBLE_BENCH_DATA", ROOT / ".." / "shared" / "data"))
PROGRAM = os.environ.get("SCUMBLE_BIN", "scumble")

TABLES = ["demo", "adult", "acs_national2019"]
GOAL = ["--epsilon", "1", "--delta", "1e-9"]
SHARE, ALL_FOR_THE_MODEL = "0.05", "0"
ORDERS = [1, 2, 3, 4, 5]

COVERAGE_BAR = (0.93, 0.97)
WIDTH_BAR = 0.002
UTILITY_BAR = 1.03
PASSED_BAR = 0.9


def run(arguments, allowed=(0,)):
    """Runs the program, and returns what became of it. Its own message explains a failure."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join([PROGRAM, *map(str, arguments)])}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def json_of(arguments):
    return json.loads(run([*arguments, "--json"]).stdout)


def checked_rows(model):
    """The rows of a model that were checked, and their released figures."""
    return json_of(["inspect", model])["checked"]


class Table:
    """A table and its schema. The program makes the demo table itself, and writes schemas of the benchmark tables from their sizes."""

    def __init__(self, name, work):
        self.name = name
        if name == "demo":
            run(["demo", "--output", work / "demo", "--force"])
            self.path, self.schema = work / "demo" / "people.csv", work / "demo" / "people.schema.yaml"
        else:
            self.path, self.schema = DATA / name / "data.csv", work / f"{name}.schema.yaml"
            run(["schema", "import", "--from", "mbi", DATA / name / "domain.json", "-o", self.schema, "--force"])


class Results:
    """A CSV file that grows as runs end, so that a run that was interrupted can be resumed."""

    def __init__(self, path, header, resume):
        self.path, self.header = path, header
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (resume and path.exists()):
            path.write_text(",".join(header) + "\n", encoding="utf-8")

    def add(self, rows):
        with open(self.path, "a", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([row[name] for name in self.header] for row in rows)

    def of(self, **where):
        with open(self.path, newline="", encoding="utf-8") as lines:
            return [row for row in csv.DictReader(lines) if all(row[name] == str(value) for name, value in where.items())]


class Fits:
    """Fits of benchmark tables with and without a check. Parts share them."""

    def __init__(self, arguments, work):
        self.work, self.resume, self.tables = work, arguments.resume, {}
        folder = arguments.output
        self.fits = Results(folder / "release-fits.csv", ["table", "share", "run", "rows", "three_way", "seconds"], self.resume)
        header = ["table", "run", "figure", "tables", "value", "half_width", "exact", "covers"]
        self.figures = Results(folder / "release-figures.csv", header, self.resume)

    def ensure(self, name, share, runs):
        """Fits a table until there are this many runs."""
        for number in range(len(self.fits.of(table=name, share=share)), runs):
            if name not in self.tables:
                self.tables[name] = Table(name, self.work)
            self.fit(self.tables[name], share, number)

    def fit(self, table, share, number):
        model, rows = self.work / "fit.model", self.work / "fit.parquet"
        check = ["--check-share", share] if share != ALL_FOR_THE_MODEL else []
        started = time.monotonic()
        run(["fit", table.path, "--schema", table.schema, *GOAL, *check, "-o", model, "--force", "--quiet"])
        seconds = time.monotonic() - started
        checked = checked_rows(model) if check else None
        # A check says which rows it compared. Other fits draw the same number of rows in the same way.
        drawn = ["--rows", checked["rows"], "--seed", checked["seed"], "--sampling", checked["sampling"]] if check else ["--seed", 0]
        run(["sample", model, *drawn, "-o", rows, "--force", "--quiet"])
        exact = Exact(table, rows, ORDERS if check else [3])
        if check:
            self.figures.add(list(compared(table.name, number, checked["figures"], exact)))
        three_way = exact.orders[3]["mean"]["value"]
        row = {"table": table.name, "share": share, "run": number, "rows": exact.rows, "three_way": three_way, "seconds": round(seconds, 1)}
        self.fits.add([row])
        print(f"{table.name}, {share} for the check, run {number}: three-way {three_way:.5f}, {seconds:.0f} s", flush=True)


class Exact:
    """Distances without noise, by `scumble evaluate`."""

    def __init__(self, table, rows, orders):
        options = ["--schema", table.schema, "--quick", "--orders", ",".join(map(str, orders))]
        found = json_of(["evaluate", "--real", table.path, "--synth", rows, *options])
        self.orders = {order["order"]: order for order in found["marginals"]["orders"]}
        self.columns = {column["columns"][0]: column["distance"]["value"] for column in found["marginals"]["columns"]}
        self.rows = found["rows"]["synthetic"]

    def of(self, figure, tables):
        """The exact value of a figure; nothing if it is about other tables than those that were compared."""
        of = figure.get("tables")
        if isinstance(of, int) and of in self.orders and self.orders[of]["tables"] == tables:
            return self.orders[of]["largest" if figure.get("statistic") == "max" else "mean"]["value"]
        return self.columns.get(of[0]) if isinstance(of, list) and len(of) == 1 else None


def compared(name, number, figures, exact):
    """A row for each released figure, beside its exact value."""
    for released in figures:
        value, half_width = released["value"], released["half_width"]
        row = {"table": name, "run": number, "figure": released["name"], "tables": released["tables"], "value": value, "half_width": half_width}
        of = exact.of(released["figure"], released["tables"])
        yield {**row, "exact": "" if of is None else of, "covers": "" if of is None else int(abs(value - of) <= half_width)}


class Figures(list):
    """All figures so far, each with its bar."""

    def add(self, name, value, unit, bar, holds):
        print(f"{'holds' if holds else 'FALLS SHORT'} {name}: {value:.4g} {unit} (bar {bar})")
        self.append({"name": name, "value": round(value, 5), "unit": unit, "bar": bar, "holds": bool(holds)})

    def at_most(self, name, value, unit, bar):
        self.add(name, value, unit, bar, value <= bar)


def coverage(arguments, fits, figures):
    """Share of the intervals that have the exact value."""
    everything = []
    for name in arguments.tables:
        fits.ensure(name, SHARE, arguments.runs)
        covers = [int(row["covers"]) for row in fits.figures.of(table=name) if row["covers"] != ""]
        everything += covers
        print(f"{name}: {sum(covers)} of {len(covers)} intervals have the exact value")
    low, high = COVERAGE_BAR
    share = statistics.mean(everything)
    name = f"95 % intervals that have the exact value, of {len(everything)} on {', '.join(arguments.tables)}"
    figures.add(name, share, "share", [low, high], low <= share <= high)


def width(arguments, fits, figures):
    """Half the width of the interval of the mean three-way error."""
    fits.ensure("adult", SHARE, 1)
    widths = [float(row["half_width"]) for row in fits.figures.of(table="adult", figure="mean error of tables over 3 columns")]
    figures.at_most("adult: half width of the mean error of tables over 3 columns", max(widths), "share of rows", WIDTH_BAR)


def utility(arguments, fits, figures):
    """Error with a check, relative to the error without."""
    for name in arguments.tables:
        errors = {}
        for number in range(arguments.runs):
            # In turns, so that a part of the runs has pairs.
            for share in (SHARE, ALL_FOR_THE_MODEL):
                fits.ensure(name, share, number + 1)
        for share in (SHARE, ALL_FOR_THE_MODEL):
            errors[share] = [float(row["three_way"]) for row in fits.fits.of(table=name, share=share)][: arguments.runs]
        with_check, without = errors[SHARE], errors[ALL_FOR_THE_MODEL]
        ratio = statistics.mean(with_check) / statistics.mean(without)
        runs = f"{len(without)} runs" if len(without) > 1 else "1 run"
        if len(without) > 1:
            off = statistics.stdev(one - ratio * other for one, other in zip(with_check, without)) / statistics.mean(without)
            runs += f", standard error {off / len(without) ** 0.5:.4f}"
        figures.at_most(f"{name}: three-way error with a check to that without, {runs}", ratio, "ratio", UTILITY_BAR)


RELEASED, REFUSED = 0, 3

# The bins in which the published registry compares tables, as first values of bins; its own code lists them.
PUBLISHED_BINS = {
    "birth_month": range(1, 13),
    "mother_age": [0, 25, 30, 35],
    "parity": [1, 2, 4],
    "gestation": [0, 37],
    "sex": ["female", "male"],
    "weight": [0, 2500, 4000],
}
PUBLISHED_BAR = 0.01


def published_cells(path):
    """Shares of rows in the cells of all tables over columns of the published registry, in its bins."""
    joint, rows = collections.Counter(), 0
    with open(path, newline="", encoding="utf-8") as lines:
        for row in csv.DictReader(lines):
            joint[tuple(bisect.bisect_right(bins, type(bins[0])(row[name])) for name, bins in PUBLISHED_BINS.items())] += 1
            rows += 1
    cells = collections.Counter()
    for order in range(1, len(PUBLISHED_BINS) + 1):
        for places in itertools.combinations(range(len(PUBLISHED_BINS)), order):
            for codes, count in joint.items():
                cells[places, tuple(codes[place] for place in places)] += count / rows
    return cells


def largest_cell_difference(real, synthetic):
    """The published criterion: the largest difference of a cell of any table. Exact, so it is for this page only."""
    real, synthetic = published_cells(real), published_cells(synthetic)
    return max(abs(real[cell] - synthetic[cell]) for cell in real | synthetic)


def births_part(arguments, work, figures):
    """Releases of the registry under its criteria."""
    header = ["epsilon", "run", "exit_code", "seconds", "not_met", "largest_three_way", "largest_cell"]
    results = Results(arguments.output / "release-births.csv", header, arguments.resume)
    folder = work / "births"
    births.write(folder, arguments.rows, births.SEED)
    for epsilon in arguments.epsilons:
        for number in range(len(results.of(epsilon=epsilon)), arguments.runs):
            results.add([one_release(folder, epsilon, number)])
        done = results.of(epsilon=epsilon)
        codes = [int(row["exit_code"]) for row in done]
        share = codes.count(RELEASED) / len(codes)
        figures.add(f"births at epsilon {epsilon}: releases that meet all criteria, of {len(codes)}", share, "share", PASSED_BAR, share >= PASSED_BAR)
        if cells := [float(row["largest_cell"]) for row in done if row["largest_cell"]]:
            name = f"births at epsilon {epsilon}: largest difference of a cell of the published tables, without noise"
            figures.at_most(name, max(cells), "share of rows", PUBLISHED_BAR)


def one_release(folder, epsilon, number):
    """A release, and the check of its folder if it is the first."""
    output = folder / f"release-{epsilon}-{number}"
    started = time.monotonic()
    files = ["--schema", folder / "births.schema.yaml", "--accept", folder / "births.criteria.yaml"]
    goal = ["--epsilon", epsilon, "--delta", "1e-9"]
    done = run(["release", folder / "births.csv", *files, *goal, "--seed", number, "-o", output, "--quiet"], (RELEASED, REFUSED))
    seconds = time.monotonic() - started
    largest_cell = ""
    if done.returncode == RELEASED and number == 0:
        run(["bundle", "verify", output])
        largest_cell = largest_cell_difference(folder / "births.csv", output / "data" / "synthetic.csv")
        print(f"epsilon {epsilon}: the folder of the first release was verified")
    model = output / "model.scumble" if done.returncode == RELEASED else Path(f"{output}.model")
    checked = checked_rows(model)["figures"]
    three_way = next(figure["value"] for figure in checked if figure["figure"] == {"tables": 3, "statistic": "max"})
    message = done.stderr.strip().splitlines()[0] if done.returncode != RELEASED else ""
    print(f"births, epsilon {epsilon}, run {number}: {message or 'released'}, {seconds:.0f} s", flush=True)
    return {"epsilon": epsilon, "run": number, "exit_code": done.returncode, "seconds": round(seconds, 1), "not_met": message,
            "largest_three_way": three_way, "largest_cell": largest_cell}


PARTS = ["coverage", "width", "utility", "births"]


def main():
    parser = argparse.ArgumentParser(description="Quality figures that are released with noise, and releases under criteria.")
    parser.add_argument("part", nargs="?", choices=PARTS, help="by default, all")
    parser.add_argument("--tables", type=lambda text: text.split(","), default=TABLES, help="names of tables, separated by commas")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--epsilons", type=lambda text: text.split(","), default=["4.99"], help="of the releases of births")
    parser.add_argument("--rows", type=int, default=births.ROWS, help="number of births")
    parser.add_argument("--output", type=Path, default=Path("."), help="folder for the CSV files")
    parser.add_argument("--resume", action="store_true", help="keep the runs that the CSV files have")
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - set(TABLES):
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    parts = [arguments.part] if arguments.part else PARTS
    figures = Figures()
    with tempfile.TemporaryDirectory() as work:
        work = Path(work)
        fits = Fits(arguments, work) if parts != ["births"] else None
        for part in parts:
            if part == "births":
                births_part(arguments, work, figures)
            else:
                {"coverage": coverage, "width": width, "utility": utility}[part](arguments, fits, figures)
    print(json.dumps({"figures": figures}))
    sys.exit(any(not figure["holds"] for figure in figures))


if __name__ == "__main__":
    main()
