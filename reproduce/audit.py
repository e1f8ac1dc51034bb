"""Attacks the program from outside, and its releases.

    audit.py [phases|methods|pure|planted|program|gains|verifier] [--runs N] [--rows N] [--epsilons 0.1,1,10] [--tables adult,demo]
             [--output FOLDER]

- phases, methods, pure, planted: the programs of `figures audit`: T7, T8, T9, and bugs that are planted in the vault.
- program: `scumble audit program` on the program, and on the program with halved noise: black box, by what it writes.
- gains: what known attacks gain on releases of adult and demo. Half of the rows are fitted, the other half is the control.
- verifier: the second verifier on right and wrong certificates, and on flipped bytes of signed bundles.

Without a part, all of them. Needs the program as `SCUMBLE_BIN` and the program of figures as `SCUMBLE_FIGURES`, both built with
planted bugs for `planted` and `program`; and for `gains` the benchmark tables in `SCUMBLE_BENCH_DATA`. Writes `audit-gains.csv`.
The last line on standard output is one JSON object with the figures and their bars.
"""

import argparse
import csv
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
DATA = Path(os.environ.get("SCUMBLE_BENCH_DATA", ROOT / ".." / "shared" / "data"))
PROGRAM = os.environ.get("SCUMBLE_BIN", "scumble")
FIGURES = os.environ.get("SCUMBLE_FIGURES", "figures")

OF_FIGURES = ["phases", "methods", "pure", "planted"]
PARTS = [*OF_FIGURES, "program", "gains", "verifier"]
# At this claim, a few hundred runs prove halved noise.
BLACK_BOX = ["--method", "independent", "--epsilon", "8", "--delta", "1e-5"]
BLACK_BOX_RUNS = 1000
DELTA = "1e-9"


def run(arguments, environment=None, allowed=(0,)):
    """Runs a program, and returns what it printed. Its own message explains a failure."""
    arguments = list(map(str, arguments))
    done = subprocess.run(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(arguments)}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def figure(name, value, unit, bar=None, holds=None):
    shown = {True: "holds", False: "FALLS SHORT", None: "measured"}[holds]
    print(f"{shown:12} {name}: {value} {unit}" + ("" if bar is None else f" ({bar})"), flush=True)
    return {"name": name, "value": value, "unit": unit, "bar": bar, "holds": holds}


def of_figures(part, options):
    """A part of the program of figures, which prints its own figures."""
    runs = ["--runs", options.runs] if options.runs else []
    text = run([FIGURES, "audit", part, *runs])
    print("\n".join(text.splitlines()[:-1]), flush=True)
    return json.loads(text.splitlines()[-1])["figures"]


def program(options):
    """The program from outside, as it is and with halved noise."""
    runs = options.runs or BLACK_BOX_RUNS
    command = [PROGRAM, "audit", "program", *BLACK_BOX, "--runs", runs, "--json"]
    largest = lambda audit: max(attack["mu"]["value"] for attack in audit["attacks"]) / audit["claimed_mu"]
    # A failed audit prints its result, and then the failure.
    first = lambda text: json.loads(text.splitlines()[0])
    honest = largest(first(run(command, allowed=(0, 3))))
    halved = largest(first(run(command, {"SCUMBLE_PLANTED_BUG": "gaussian-tables-halved"}, allowed=(0, 3))))
    of = f"black box, {runs} runs on each file"
    return [
        figure(f"{of}: proved share of the claimed mu", round(honest, 3), "of the claim", 1, honest <= 1),
        figure(f"{of}, halved noise: proved share of the claimed mu", round(halved, 3), "of the claim", 1, halved > 1),
    ]


def halves(name, rows, work, seed):
    """Files of two halves of a table, and its schema: the first is fitted, the second is the control."""
    if name == "demo":
        run([PROGRAM, "demo", "--rows", rows or 10_000, "--output", work / "demo", "--force"])
        source, schema = work / "demo" / "people.csv", work / "demo" / "people.schema.yaml"
    else:
        source, schema = DATA / name / "data.csv", work / f"{name}.schema.yaml"
        run([PROGRAM, "schema", "import", "--from", "mbi", DATA / name / "domain.json", "-o", schema, "--force"])
    with open(source, newline="", encoding="utf-8") as lines:
        header, *records = csv.reader(lines)
    random.Random(seed).shuffle(records)
    records = records[:rows] if rows else records
    files = []
    for part, half in ("fitted", records[: len(records) // 2]), ("control", records[len(records) // 2 :]):
        path = work / f"{name}-{part}.csv"
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *half])
        files.append(path)
    return *files, schema


def gains(options):
    """What known attacks gain on releases, beside what the guarantee allows."""
    figures, lines = [], []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        for name in options.tables.split(","):
            fitted, control, schema = halves(name, options.rows, work, 20)
            for epsilon in options.epsilons.split(","):
                model, rows = work / "audited.model", work / "audited.csv"
                run([PROGRAM, "synth", fitted, "--schema", schema, "--epsilon", epsilon, "--delta", DELTA, "--model", model,
                     "-o", rows, "--force", "--quiet", "--accept-weak-privacy"])
                audit = json.loads(run([PROGRAM, "audit", "release", rows, "--model", model, "--members", fitted,
                                        "--control", control, "--schema", schema, "--json"]))
                of = f"{name}, epsilon {epsilon}"
                allowed = (audit["allowed"] or {}).get("auc")
                for attack in audit["membership"]:
                    low, high = attack["auc"]["low"], attack["auc"]["high"]
                    lines.append([name, epsilon, attack["attack"], attack["auc"]["value"], low, high, attack["advantage"]["value"]])
                    title = f"{of}, {attack['attack']}: AUC, from {low:.3f} to {high:.3f}"
                    bar = None if allowed is None else round(allowed, 3)
                    figures.append(figure(title, round(attack["auc"]["value"], 3), "AUC", bar, bar is None or low <= allowed))
                for secret in audit["attributes"]:
                    leakage, by = secret["leakage"], f"{secret['name']} guessed by {secret['predictor']}"
                    low, high = leakage["low"], leakage["high"]
                    lines.append([name, epsilon, by, leakage["value"], low, high, ""])
                    title = f"{of}, {by}: right for members above right for control, from {low:.3f} to {high:.3f}"
                    figures.append(figure(title, round(leakage["value"], 3), "of rows", None, low <= audit["allowed"]["advantage"]))
    options.output.mkdir(parents=True, exist_ok=True)
    with open(options.output / "audit-gains.csv", "w", newline="", encoding="utf-8") as file:
        header = ["table", "epsilon", "attack", "value", "low", "high", "advantage"]
        csv.writer(file, lineterminator="\n").writerows([header, *lines])
    return figures


def verifier(_):
    text = run([sys.executable, ROOT / "verify" / "figures.py"], {"SCUMBLE_BIN": PROGRAM}, allowed=(0, 1))
    print("\n".join(text.splitlines()[:-1]), flush=True)
    return json.loads(text.splitlines()[-1])["figures"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", nargs="?", choices=PARTS)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--epsilons", default="0.1,1,10")
    parser.add_argument("--tables", default="adult,demo")
    parser.add_argument("--output", type=Path, default=ROOT / "docs" / "reproduction")
    options = parser.parse_args()
    figures = []
    for part in [options.part] if options.part else PARTS:
        print(f"\n== {part}", flush=True)
        figures += of_figures(part, options) if part in OF_FIGURES else globals()[part](options)
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main()
