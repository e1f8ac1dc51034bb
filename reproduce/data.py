"""Fetches the public benchmark tables and verifies them: see data.sh."""

import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import sys
import urllib.request
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHECKSUMS = ROOT / "reproduce" / "data.sha256"

# Pinned, so that what is fetched today is what was measured.
PRIVMRF = "https://raw.githubusercontent.com/caicre/PrivMRF/12f2cae3f1784281cee7e8e201560882332f60bb/preprocess/"
MBI = (
    "https://raw.githubusercontent.com/ryan112358/nist-synthetic-data-2021/"
    "56b7bc34be589c35a2b2e966928ef3501df1dabd/extensions/datasets/"
)
UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"

NLTCS = (
    "telephoning taking_medicine managing_money traveling eating grocery_shopping cooking laundry light_house_work "
    "heavy_house_work using_toilet bathing dressing getting_around_inside getting_in_out_of_bed getting_about_outside"
)
ADULT = (
    "age workclass fnlwgt education education-num marital-status occupation relationship race sex capital-gain "
    "capital-loss hours-per-week native-country income"
)
# Columns with the sizes that the papers declare.
DECLARED = {
    "nltcs": {name: 2 for name in NLTCS.split()},
    "acs": {f"x{column}": 2 for column in range(23)},
    "br2000": {f"x{column}": size for column, size in enumerate([2, 7, 22, 10, 16, 2, 2, 2, 2, 4, 16, 2, 16, 2])},
    "adult": dict(zip(ADULT.split(), [16, 7, 16, 16, 16, 7, 14, 6, 5, 2, 16, 16, 16, 41, 2])),
}
# Tables of the other repository, by their names there.
MBI_NAMES = {name: name for name in ["fire", "loans", "msnbc", "salary", "stroke", "titanic"]} | {"adult_mbi": "adult"}
# Our own codes of these rows have no public source.
BY_HAND = {
    "acs_national2019": "it is national2019 of the Diverse Communities Data Excerpts, in "
    "github.com/usnistgov/privacy_collaborative_research_cycle; only --from can bring it"
}


class Sources:
    """Downloads, kept in a folder if there is one."""

    def __init__(self, cache):
        self.cache = cache

    def get(self, url):
        kept = None if self.cache is None else self.cache / "_".join(url.split("/")[-2:])
        if kept is not None and kept.exists():
            return kept.read_bytes()
        with urllib.request.urlopen(url, timeout=60) as response:
            content = response.read()
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(content)
        return content

    def text(self, url):
        return self.get(url).decode("utf-8")


def written(rows):
    """Rows as a CSV file."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8")


def domain(sizes):
    """The file of the sizes of the columns, in their order."""
    return json.dumps(sizes, indent=1).encode("utf-8")


def numeric_order(names):
    """The value of each code of a column whose codes were given out in the order of their texts: 0, 1, 10, 11, 2."""
    values = [names[str(code)] for code in range(len(names))]
    if not all(value.isdigit() for value in values):
        return list(range(len(values)))
    return [int(value) for value in values]


def privmrf(table, sources):
    """The files of a table of the PrivMRF paper."""
    sizes = DECLARED[table]
    rows = list(csv.reader(io.StringIO(sources.text(f"{PRIVMRF}{table}.csv"))))[1:]
    if table in ("adult", "br2000"):
        columns = [numeric_order(names) for names in json.loads(sources.text(f"{PRIVMRF}{table}_int_to_str.json"))]
        # Years of education are counted from 1, all other numbers from 0.
        first = [1 if name == "education-num" else 0 for name in sizes]
        rows = [[columns[at][int(code)] - first[at] for at, code in enumerate(row)] for row in rows]
    yield "data.csv", written([list(sizes), *rows])
    yield "domain.json", domain(sizes)


def uci_adult(sources):
    """Adult with its original values, in the order of adult.data and adult.test, without rows that have a `?`."""
    lines = sources.text(f"{UCI}adult.data").splitlines() + sources.text(f"{UCI}adult.test").splitlines()[1:]
    rows = [line.rstrip(".").split(", ") for line in lines if line and "?" not in line]
    return written([ADULT.split(), *rows])


def mbi(table, sources):
    """The files of a table that was discretised for work with mbi."""
    name = MBI_NAMES[table]
    with zipfile.ZipFile(io.BytesIO(sources.get(f"{MBI}{name}.zip"))) as archive:
        content = archive.read(f"{name}.csv")
    sizes = json.loads(sources.text(f"{MBI}{name}-domain.json"))
    header = content.split(b"\n", 1)[0].decode("utf-8").rstrip("\r")
    header = next(csv.reader([header]))
    kept = [at for at, column in enumerate(header) if column in sizes]
    if len(kept) < len(header):
        rows = csv.reader(io.StringIO(content.decode("utf-8")))
        content = written([row[at] for at in kept] for row in rows)
    yield "data.csv", content
    yield "domain.json", domain({header[at]: sizes[header[at]] for at in kept})


def fetched(table, sources):
    """Names and contents of the files of a table."""
    if table in MBI_NAMES:
        yield from mbi(table, sources)
    elif table in DECLARED:
        yield from privmrf(table, sources)
        if table == "adult":
            yield "raw.csv", uci_adult(sources)


def content_of(path):
    """The bytes of a file, unpacked: a checksum does not depend on how a file was packed."""
    content = path.read_bytes()
    return gzip.decompress(content) if path.suffix == ".gz" else content


def is_right(path, expected):
    return hashlib.sha256(content_of(path)).hexdigest() == expected


def checksums():
    """The checksum of every file, unpacked, by table and name."""
    expected = {}
    for line in CHECKSUMS.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            digest, path = line.split()
            table, name = path.split("/")
            expected.setdefault(table, {})[name] = digest
    return expected


def put(path, content, expected):
    """Writes a file if its content is right, and says whether it is."""
    if hashlib.sha256(content).hexdigest() != expected:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    partial.replace(path)
    return True


def obtain(table, files, options, sources):
    """Gets those files of a table that are missing; returns a problem for each that cannot be had."""
    problems, missing = [], {}
    for name, expected in files.items():
        path = options.to / table / name
        if not path.exists():
            missing[name] = expected
        elif not is_right(path, expected):
            problems.append(f"{path}: checksum differs; remove the file to get it again")
    if not missing:
        return problems
    if options.verify:
        found = {}
    elif options.source is not None:
        paths = {name: options.source / table / name for name in missing}
        found = {name: content_of(path) for name, path in paths.items() if path.exists()}
    else:
        contents = {}
        try:
            for name, content in fetched(table, sources):
                contents[name] = content
        except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
            print(f"{table}: {error}", file=sys.stderr)
        # A file may be kept packed.
        plain = {name: name.removesuffix(".gz") for name in missing}
        found = {name: contents[fetched_as] for name, fetched_as in plain.items() if fetched_as in contents}
        if table in BY_HAND:
            print(f"{table}: {BY_HAND[table]}", file=sys.stderr)
    for name, expected in missing.items():
        path = options.to / table / name
        if name not in found:
            problems.append(f"{path}: missing")
        elif not put(path, found[name], expected):
            problems.append(f"{path}: not written, because what was found has another checksum")
    return problems


def main():
    expected = checksums()
    parser = argparse.ArgumentParser(prog="reproduce/data.sh", description="Fetches and verifies the benchmark tables.")
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="all by default: " + ", ".join(expected))
    default = os.environ.get("SCUMBLE_BENCH_DATA", ROOT.parent / "shared" / "data")
    parser.add_argument("--to", type=Path, default=Path(default), metavar="FOLDER", help="where tables are written")
    parser.add_argument("--from", dest="source", type=Path, metavar="FOLDER", help="copy from there, fetch nothing")
    parser.add_argument("--cache", type=Path, metavar="FOLDER", help="keep downloads there, and use those that are there")
    parser.add_argument("--verify", action="store_true", help="fetch nothing")
    options = parser.parse_args()
    unknown = [table for table in options.tables if table not in expected]
    if unknown:
        parser.error(f"unknown table {', '.join(unknown)}; there are {', '.join(expected)}")
    sources = Sources(options.cache)
    problems = []
    for table in options.tables or expected:
        found = obtain(table, expected[table], options, sources)
        print(f"{table}: " + ("verified" if not found else f"{len(found)} of {len(expected[table])} files missing or wrong"))
        problems += found
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    print(f"tables are in {options.to}")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
