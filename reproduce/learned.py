"""Columns that Scumble learns from raw tables, beside columns that a steward declares by hand, at the same total budget.

    learned.py [--tables adult,pets] [--runs 5] [--output FOLDER] [--resume]

Every table is synthesised in both ways. Both results are compared with the raw table on one grid, which is taken from the raw table and
knows nothing of either schema: a schema with few coarse bins gains nothing, since what it cannot tell apart counts as an error.

Needs the program as `SCUMBLE_BIN`. Writes `learned.csv`, a line per run, and `learned-columns.csv`, a line per column of a run, which
shows where an error comes from. The last line on standard output is one JSON object with the figures and their bars.
"""

import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import tables

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DATA = Path(os.environ.get("SCUMBLE_BENCH_DATA", ROOT / ".." / "shared" / "data"))
PROGRAM = os.environ.get("SCUMBLE_BIN", "scumble")
BUDGET = ["--epsilon", "1", "--delta", "1e-9"]

LEARNED, DECLARED = "learned", "declared"
ONE_WAY_BAR, THREE_WAY_BAR, SECONDS_BAR = 1.5, 1.2, 120
MAX_TRIPLES, TRIPLE_SEED = 60, 20190401

# The types that each column may rightly have, by table. The evaluator reads a column as the first of them. Whole numbers that stand for
# few categories may be learned as either.
TYPES = {
    "adult": {
        "integer": "age, fnlwgt, capital-gain, capital-loss, hours-per-week",
        "integer or categories": "education-num",
        "categories": "workclass, education, marital-status, occupation, relationship, race, sex, native-country, income",
    },
    "acs_national2019": {
        "integer": "AGEP, POVPIP, PWGTP, WGTP",
        "number": "DENSITY",
        # Whole dollars, written with `.0`.
        "number or integer": "PINCP",
        "integer or categories": "SEX, MSP, HISP, RAC1P, NOC, NPF, HOUSING_TYPE, OWN_RENT, INDP_CAT, EDU, PINCP_DECILE, DVET, DREM, DPHY, "
        "DEYE, DEAR",
        "categories": "PUMA",
        # Four digits for an industry.
        "categories or integer": "INDP",
    },
    "titanic": {
        "integer": "Age, Fare",
        "integer or categories": "Pclass, SibSp, Parch, Cabin, Embarked, Survived",
        "integer or categories or boolean": "Sex",
    },
    "demo": {
        "integer": "age, income",
        "integer or categories": "household_size",
        "integer or year": "moved_in",
        "number": "height_cm",
        "date": "birth_date",
        "datetime": "interview",
        "boolean": "smoker",
        "categories": "region, sex, marital_status, education, occupation, housing",
    },
    "flights": {
        "integer": "dep_time, sched_dep_time, dep_delay, arr_time, sched_arr_time, arr_delay, flight, air_time, distance",
        "integer or categories": "month, day, hour, minute",
        "integer or categories or year": "year",
        "datetime": "time_hour",
        "categories": "carrier, tailnum, origin, dest",
    },
    "birdstrikes": {
        "integer": "Cost Other, Cost Repair, Cost Total $, Speed IAS in knots",
        "date": "Flight Date",
        "categories": "Airport Name, Aircraft Make Model, Effect Amount of damage, Aircraft Airline Operator, Origin State, "
        "Phase of flight, Wildlife Size, Wildlife Species, Time of day",
    },
    "pets": {
        "date": "license_issue_date",
        "identifier": "license_number",
        "categories": "animal_name, species, primary_breed, secondary_breed",
        # Five digits, but for a few with a hyphen.
        "categories or integer": "zip_code",
    },
}
# The texts of missing values; a blank is one everywhere.
MISSING = {"adult": {"?"}, "acs_national2019": {"N"}, "flights": {"NA"}}


class Table:
    """A raw table, its schema, and what is known of its columns."""

    def __init__(self, name, work):
        self.name = name
        self.types = {
            column: types.split(" or ") for types, columns in TYPES[name].items() for column in columns.split(", ")
        }
        self.missing = {""} | MISSING.get(name, set())
        self.path, self.schema = self.files(work)

    def files(self, work):
        """The paths of the table and of its schema. The program makes the demo table itself."""
        own = HERE / "schemas" / f"{self.name}.schema.yaml"
        example = ROOT / "examples" / "schemas" / f"{self.name}.schema.yaml"
        if self.name == "demo":
            run(["demo", "--output", str(work / "demo"), "--force"])
            return work / "demo" / "people.csv", work / "demo" / "people.schema.yaml"
        if self.name in tables.PACKAGES:
            return tables.fetch(self.name), own
        if self.name == "titanic":
            return DATA / "titanic" / "data.csv", own
        return next((DATA / self.name).glob("raw.csv*")), example

    def read(self, path):
        """The texts of a table in which missing values are blank. A column that was not written is blank in every row."""
        rows = pd.read_csv(path, dtype=str, keep_default_na=False)
        texts = {column: rows[column].str.strip() if column in rows else "" for column in self.types}
        return pd.DataFrame(texts, index=rows.index).replace(list(self.missing), "")

    def wrong_types(self, found):
        """The columns that were learned as a type that they do not have, with that type."""
        return {column: found[column] for column, types in self.types.items() if found[column] not in types}


def run(arguments):
    """Runs the program, and returns what it prints. Its own message explains a failure."""
    done = subprocess.run([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join([PROGRAM, *arguments])}\n{done.stderr}")
    return done.stdout


class Resolution(NamedTuple):
    """How finely a grid divides columns: bins of numbers, single texts, and the share of rows that gives a number its own code."""

    bins: int
    texts: int
    heavy: float


ONE_WAY = Resolution(bins=32, texts=100, heavy=0.02)
THREE_WAY = Resolution(bins=8, texts=12, heavy=1 / 8)
BLANK, UNREADABLE = 0, 1


def numbers_of(texts, kind):
    """The numbers that texts stand for: seconds for dates; not a number where a text is none of the kind."""
    if kind in ("date", "datetime"):
        times = pd.to_datetime(texts, format="ISO8601", utc=True, errors="coerce")
        return ((times - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy(float)
    return pd.to_numeric(texts, errors="coerce").to_numpy(float)


class Column:
    """A column of the grid, fixed by the real values."""

    def __init__(self, real, kind, resolution):
        self.kind = "number" if kind in ("integer", "number", "year") else kind
        self.is_text = self.kind in ("categories", "boolean")
        present = real[real != ""]
        if self.is_text:
            self.texts = {text: code for code, text in enumerate(self.spelled(present).value_counts().index[: resolution.texts], 2)}
            self.size = 2 + len(self.texts)
            return
        numbers = numbers_of(present, self.kind)
        numbers = numbers[np.isfinite(numbers)]
        values, counts = np.unique(numbers, return_counts=True)
        self.heavy = values[counts > resolution.heavy * len(real)]
        rest = numbers[~np.isin(numbers, self.heavy)]
        # A quantile is a value, so that values that are there are the edges.
        inner = np.arange(1, resolution.bins) / resolution.bins
        self.edges = np.unique(np.quantile(rest, inner, method="lower")) if len(rest) else np.empty(0)
        self.size = 2 + len(self.heavy) + len(self.edges) + 1

    def spelled(self, texts):
        """Booleans may come back in another case."""
        return texts.str.lower() if self.kind == "boolean" else texts

    def codes(self, texts):
        """The code of each text. All other texts of a column of texts share one code, as do those that are no number."""
        if self.is_text:
            codes = self.spelled(texts).map(self.texts).fillna(UNREADABLE).to_numpy(np.int64, copy=True)
        else:
            numbers = numbers_of(texts, self.kind)
            codes = 2 + len(self.heavy) + np.searchsorted(self.edges, numbers, side="right")
            own = np.searchsorted(self.heavy, numbers)
            is_heavy = np.isin(numbers, self.heavy)
            codes[is_heavy] = 2 + own[is_heavy]
            codes[~np.isfinite(numbers)] = UNREADABLE
        codes[(texts == "").to_numpy()] = BLANK
        return codes


class Grid:
    """The real table on a grid, to compare others with."""

    def __init__(self, real, types, columns, resolution):
        self.columns = {name: Column(real[name], types[name][0], resolution) for name in columns}
        self.real = self.codes(real)

    def codes(self, rows):
        return {name: column.codes(rows[name]) for name, column in self.columns.items()}

    def distances(self, synthetic, sets):
        """The total variation distance of both tables on each set of columns."""
        codes = self.codes(synthetic)
        return [self.distance(codes, names) for names in sets]

    def distance(self, codes, names):
        def shares(of):
            cells = np.ravel_multi_index([of[name] for name in names], sizes)
            return np.bincount(cells, minlength=int(np.prod(sizes))) / len(cells)

        sizes = [self.columns[name].size for name in names]
        return 0.5 * float(np.abs(shares(self.real) - shares(codes)).sum())


class Judge:
    """Errors of synthetic tables on the columns that both ways model."""

    def __init__(self, table, columns):
        real = table.read(table.path)
        self.columns = columns
        triples = list(itertools.combinations(columns, 3))
        chosen = np.random.default_rng(TRIPLE_SEED).permutation(len(triples))[:MAX_TRIPLES]
        self.triples = [triples[place] for place in sorted(chosen)]
        self.fine = Grid(real, table.types, columns, ONE_WAY)
        self.coarse = Grid(real, table.types, columns, THREE_WAY)

    def errors(self, synthetic):
        """The one-way error of each column, and the mean three-way error."""
        one_way = self.fine.distances(synthetic, [(name,) for name in self.columns])
        return dict(zip(self.columns, one_way)), float(np.mean(self.coarse.distances(synthetic, self.triples)))


def declared_columns(table):
    """The columns that the schema declares and models. Identifiers are made up, and a steward may leave a column out."""
    columns = json.loads(run(["schema", "check", str(table.schema), "--json"]))["columns"]
    modelled = {column["name"] for column in columns if "codes" in column}
    return [column for column in table.types if column in modelled]


def found_types(model, table):
    """The type of every column of a model. A column that is not modelled is an identifier or free text."""
    columns = json.loads(run(["inspect", str(model), "--json"]))["columns"]
    types = {column["name"]: {"string": "categories"}.get(column["type"], column["type"]) for column in columns}
    return {column: types.get(column, "identifier") for column in table.types}


class Results:
    """Two CSV files that grow as runs end, so that a run that was interrupted can be resumed."""

    RUN = ["table", "way", "run", "one_way", "three_way", "wrong_types", "seconds"]
    COLUMN = ["table", "way", "run", "column", "type", "is_right", "one_way"]

    def __init__(self, folder, resume):
        folder.mkdir(parents=True, exist_ok=True)
        self.runs, self.columns = folder / "learned.csv", folder / "learned-columns.csv"
        for path, header in [(self.runs, self.RUN), (self.columns, self.COLUMN)]:
            if not (resume and path.exists()):
                path.write_text(",".join(header) + "\n", encoding="utf-8")

    def add(self, path, rows):
        with open(path, "a", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)

    def of(self, table, way):
        with open(self.runs, newline="", encoding="utf-8") as lines:
            return [row for row in csv.DictReader(lines) if (row["table"], row["way"]) == (table, way)]


def one_run(table, judge, way, number, work, results):
    """Synthesises a table in one way and compares it."""
    output, model = work / "synthetic.csv", work / "synthetic.model"
    schema = ["--schema", str(table.schema)] if way == DECLARED else []
    started = time.monotonic()
    run(["synth", str(table.path), *schema, *BUDGET, "--output", str(output), "--model", str(model), "--force"])
    seconds = time.monotonic() - started
    by_column, three_way = judge.errors(table.read(output))
    one_way = float(np.mean(list(by_column.values())))
    types = found_types(model, table)
    wrong = table.wrong_types(types)
    rows = [[table.name, way, number, name, types[name], name not in wrong, by_column.get(name, "")] for name in table.types]
    results.add(results.columns, rows)
    results.add(results.runs, [[table.name, way, number, one_way, three_way, len(wrong), round(seconds, 1)]])
    shown = "".join(f", {column} is {found}" for column, found in wrong.items()) if way == LEARNED else ""
    print(f"{table.name} {way} {number}: one-way {one_way:.4f}, three-way {three_way:.4f}, {seconds:.0f} s{shown}", flush=True)


class Figures(list):
    """All figures so far, each with its bar."""

    def at_most(self, name, value, unit, bar):
        holds = bool(value <= bar)
        print(f"{'holds' if holds else 'FALLS SHORT'} {name}: {value:.4g} {unit} (bar {bar:g})")
        self.append({"name": name, "value": round(value, 4), "unit": unit, "bar": bar, "holds": holds})


def add_figures(figures, name, results):
    """The figures of a table, over all runs so far."""
    learned, declared = results.of(name, LEARNED), results.of(name, DECLARED)

    def ratio(error):
        mean = [np.mean([float(row[error]) for row in rows]) for rows in (learned, declared)]
        return float(mean[0] / mean[1])

    runs = f"{len(learned)} runs" if len(learned) > 1 else "1 run"
    figures.at_most(f"{name}: one-way error of learned to declared columns, {runs}", ratio("one_way"), "ratio", ONE_WAY_BAR)
    figures.at_most(f"{name}: three-way error of learned to declared columns, {runs}", ratio("three_way"), "ratio", THREE_WAY_BAR)
    figures.at_most(f"{name}: columns of the wrong type, in any run", max(int(row["wrong_types"]) for row in learned), "columns", 0)
    if name == "adult":
        figures.at_most("adult: longest run without a schema", max(float(row["seconds"]) for row in learned), "s", SECONDS_BAR)


def main():
    parser = argparse.ArgumentParser(description="Learned beside declared columns, on raw tables.")
    parser.add_argument("--tables", default=",".join(TYPES), help="names of tables, separated by commas")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path("."), help="folder for the CSV files")
    parser.add_argument("--resume", action="store_true", help="keep the runs that the CSV files have")
    arguments = parser.parse_args()
    names = arguments.tables.split(",")
    if unknown := set(names) - set(TYPES):
        parser.error(f"unknown tables: {', '.join(sorted(unknown))}; there are {', '.join(TYPES)}")
    results, figures = Results(arguments.output, arguments.resume), Figures()
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            table = Table(name, Path(folder))
            judge = Judge(table, declared_columns(table))
            for way in (DECLARED, LEARNED):
                for number in range(len(results.of(name, way)), arguments.runs):
                    one_run(table, judge, way, number, Path(folder), results)
            add_figures(figures, name, results)
    print(json.dumps({"figures": figures}))
    sys.exit(any(not figure["holds"] for figure in figures))


if __name__ == "__main__":
    main()
