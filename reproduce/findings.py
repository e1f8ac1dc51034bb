"""What a run of reproduce/all.sh took and found, beside bars; last, one JSON object. Needs nothing but Python.

    findings.py fast|full OUTPUT WORK

OUTPUT is where the parts wrote their files, WORK has what all.sh noted of them. Exit code 1 if a bar is missed.

The scripts print bars of their own, for the numbers of runs that the documentation has: those count in a full run. A fast run has one
run per point, so only what is far beyond the spread of runs is asked of it here.
"""

import csv
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = ROOT / "docs" / "reproduction"
FAST_MINUTES = 20
# Where a fast run measures errors.
TABLE = "nltcs"

TVD = "ratio of 3-way TVD"
WRONG = "ratio of misclassification"
PURE, APPROXIMATE = "0", "0.00001"


class Figures(list):
    """All figures so far."""

    def add(self, name, value, unit, bar=None, holds=None):
        verdict = {None: "shown", True: "holds", False: "FALLS SHORT"}[holds]
        print(f"{verdict} {name}: {value:g} {unit}" + ("" if bar is None else f" (bar {bar:g})"))
        self.append({"name": name, "value": value, "unit": unit, "bar": bar, "holds": holds})

    def at_most(self, name, value, unit, bar):
        self.add(name, round(value, 4), unit, bar, value <= bar)


class Results:
    """The CSV files of a fast run, as far as they are about one table."""

    def __init__(self, output):
        self.output = output

    def values(self, file, column, **where):
        with open(self.output / file, newline="", encoding="utf-8") as lines:
            rows = [row for row in csv.DictReader(lines) if row.get("table", TABLE) == TABLE]
        rows = [row for row in rows if all(same(row[key], value) for key, value in where.items())]
        if not rows:
            raise LookupError(f"{file} has no row with {where}")
        return [float(row[column]) for row in rows]

    def mean(self, file, column, **where):
        values = self.values(file, column, **where)
        return sum(values) / len(values)


def same(written, wanted):
    """Whether a field has a value; numbers may be written in several ways."""
    return written == wanted if isinstance(wanted, str) else written != "" and float(written) == wanted


def shown_files():
    """The files of docs/reproduction that its pages and the README show or link to, with a page that does."""
    shown = {}
    for page in [ROOT / "README.md", *sorted(PUBLISHED.glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#\s]+\.(?:svg|csv))\)", page.read_text(encoding="utf-8")):
            path = (page.parent / target).resolve()
            if path.parent == PUBLISHED:
                shown.setdefault(path.name, page.relative_to(ROOT))
    return shown


def check_files(figures, output, work, skipped):
    """Every file that is shown has to be of this run: how many are not."""
    started = (work / "started").stat().st_mtime
    missing = 0
    for name, page in sorted(shown_files().items()):
        path = output / name
        # Files begin with the name of their part, but for the NIST metrics, which the PrivBayes papers have.
        part = f"privbayes-{name}" if name.startswith("nist-") else name
        if any(part.startswith(other) for other in skipped):
            print(f"not drawn, because its part was skipped: {name}")
        elif not path.is_file() or path.stat().st_size == 0 or path.stat().st_mtime < started:
            print(f"{page} shows {name}, and no part has written it")
            missing += 1
    figures.at_most("files that the documentation shows and no part has written", missing, "files", 0)
    return missing


def findings_on_made_up_rows(figures, results):
    """The Aalborg study, which needs no benchmark table."""

    def power(epsilon):
        return results.mean("aalborg-power.csv", "power_at_level", method="privbayes", epsilon=epsilon, beta=0.5)

    figures.at_most("Aalborg: power at a true level, lost from epsilon 0.01 to 100", power(0.01) - power(100.0), "share", -0.5)


def findings_of_privbayes(figures, results):
    """The papers of 2014 and 2018."""
    mean = results.mean

    def information(score, epsilon):
        return mean("privbayes-scores.csv", "information_bits", score=score, epsilon=epsilon)

    for score in ["f", "r", "i"]:
        name = f"information in networks learned by {score.upper()} at epsilon 0.1 to that at 1.6, nltcs"
        figures.at_most(name, information(score, 0.1) / information(score, 1.6), "ratio", 1.05)

    def by_theta(theta):
        return mean("privbayes-theta.csv", "mean_tvd", theta=theta, epsilon=0.4)

    figures.at_most("privbayes with theta 4 to theta 32, nltcs, epsilon 0.4", by_theta(4.0) / by_theta(32.0), TVD, 1.0)

    def error(method, delta, epsilon):
        return mean("privbayes-utility.csv", "mean_tvd", method=method, delta=delta, epsilon=epsilon, order=3)

    ratio = error("privbayes", PURE, 0.8) / error("independent", PURE, 0.8)
    figures.at_most("privbayes to independent columns, nltcs, epsilon 0.8", ratio, TVD, 0.5)
    ratio = error("privbayes", PURE, 0.8) / error("privbayes", PURE, 0.1)
    figures.at_most("privbayes at epsilon 0.8 to itself at 0.1, nltcs", ratio, TVD, 0.8)
    ratio = error("pb-pgm", PURE, 0.8) / error("privbayes", PURE, 0.8)
    figures.at_most("pb-pgm to privbayes, nltcs, epsilon 0.8", ratio, TVD, 1.1)

    def wrong(trained_on, epsilon):
        questions = ["getting_about_outside", "managing_money", "bathing", "traveling"]
        rates = [mean("privbayes-svm.csv", question, trained_on=trained_on, epsilon=epsilon) for question in questions]
        return sum(rates) / len(rates)

    ratio = wrong("privbayes", 1.6) / wrong("independent", 1.6)
    figures.at_most("classifiers of privbayes to those of independent columns, nltcs, epsilon 1.6", ratio, WRONG, 0.8)
    ratio = wrong("privbayes", 1.6) / wrong("real-rows", "")
    figures.at_most("classifiers of privbayes to those of real rows, nltcs, epsilon 1.6", ratio, WRONG, 1.25)

    def clustering(epsilon):
        return mean("nist-metrics.csv", "mean", metric="clustering", epsilon=epsilon)

    figures.at_most("NIST: clustering score at epsilon 0.5 to that at 4", clustering(0.5) / clustering(4.0), "ratio", 1.0)


def findings_of_privmrf(figures, results):
    """The paper of 2021."""
    mean = results.mean

    def error(profile, epsilon):
        return mean("privmrf-utility.csv", "tvd3", profile=profile, epsilon=epsilon)

    def wrong(profile, epsilon):
        return mean("privmrf-svm.csv", "misclassified", profile=profile, epsilon=epsilon)

    pb_pgm = mean("privbayes-utility.csv", "mean_tvd", method="pb-pgm", delta=PURE, epsilon=0.8, order=3)
    for profile in ["best", "paper"]:
        method = f"privmrf, profile {profile}"
        ratio = error(profile, 0.8) / error(profile, 0.1)
        figures.at_most(f"{method}, at epsilon 0.8 to itself at 0.1, nltcs", ratio, TVD, 0.5)
        figures.at_most(f"{method}, to pb-pgm, nltcs, epsilon 0.8", error(profile, 0.8) / pb_pgm, TVD, 0.7)
        ratio = wrong(profile, 0.8) / wrong("real-rows", "")
        figures.at_most(f"classifiers of {method}, to those of real rows, nltcs, epsilon 0.8", ratio, WRONG, 1.1)
    settled = mean("privmrf-parameters.csv", "tvd5", theta=6.0, refinement=0.8, candidates=400.0)
    ratio = settled / min(results.values("privmrf-parameters.csv", "tvd5"))
    name = "privmrf with the paper's parameters to the best of those tried, nltcs, epsilon 0.8"
    figures.at_most(name, ratio, "ratio of 5-way TVD", 1.5)


def findings_of_auto(figures, results):
    """Our default."""
    mean = results.mean

    def error(method, epsilon):
        return mean("auto-utility.csv", "tvd3", method=method, epsilon=epsilon)

    def of_privbayes_papers(method):
        return mean("privbayes-utility.csv", "mean_tvd", method=method, delta=APPROXIMATE, epsilon=0.8, order=3)

    auto = error("auto", 0.8)
    figures.at_most("auto at epsilon 0.8 to itself at 0.1, nltcs", auto / error("auto", 0.1), TVD, 0.5)
    figures.at_most("auto to mst, nltcs, epsilon 0.8", auto / error("mst", 0.8), TVD, 0.2)
    figures.at_most("auto to aim, nltcs, epsilon 0.8", auto / error("aim", 0.8), TVD, 1.1)
    figures.at_most("auto to privbayes-nist, nltcs, epsilon 0.8", auto / of_privbayes_papers("privbayes-nist"), TVD, 0.7)
    figures.at_most("auto to independent columns, nltcs, epsilon 0.8", auto / of_privbayes_papers("independent"), TVD, 0.1)


def add_own(figures, work, part):
    """The figures that a script printed last, with bars of its own."""
    try:
        printed = json.loads((work / f"{part}.json").read_text(encoding="utf-8"))
    except ValueError:
        # Nothing but a build, or a script that only draws.
        return
    figures.extend({**figure, "name": f"{part}: {figure['name']}"} for figure in printed["figures"])


def main():
    mode, output, work = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    note = work / "skipped"
    skipped = note.read_text(encoding="utf-8").split() if note.exists() else []
    figures, seconds, failed = Figures(), 0.0, []
    for line in (work / "parts").read_text(encoding="utf-8").splitlines():
        part, started, ended, code = line.split("\t")
        took = float(ended) - float(started)
        figures.add(f"{part}: time", round(took, 1), "s")
        if part != "build":
            seconds += took
        if code != "0":
            failed.append(part)
        if mode == "full":
            add_own(figures, work, part)
    name = "all parts, without the build before them"
    if mode == "fast":
        figures.at_most(name, seconds / 60, "minutes", FAST_MINUTES)
    else:
        figures.add(name, round(seconds / 60, 1), "minutes")
    figures.at_most("parts that failed" + "".join(f", {part}" for part in failed), len(failed), "parts", 0)
    missing = check_files(figures, output, work, skipped)
    if mode == "fast" and not failed and not missing:
        print("what parts have printed has bars for more runs; those that follow are for one")
        results = Results(output)
        findings_on_made_up_rows(figures, results)
        if not skipped:
            findings_of_privbayes(figures, results)
            findings_of_privmrf(figures, results)
            findings_of_auto(figures, results)
    print(f"files are in {output}")
    print(json.dumps({"figures": figures}))
    sys.exit(any(figure["holds"] is False for figure in figures))


if __name__ == "__main__":
    main()
