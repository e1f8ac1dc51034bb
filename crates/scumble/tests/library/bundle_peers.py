"""Reads a bundle with other tools: python3 bundle_peers.py FOLDER

Fails with the message of the tool unless each of them accepts the bundle and reads the same rows.
"""

import json
import logging
import subprocess
import sys
from pathlib import Path

import frictionless
import mlcroissant
import pyarrow.csv
import pyarrow.parquet
import yaml

folder = Path(sys.argv[1])
rows = json.loads((folder / "datapackage.json").read_text())["scumble"]["release"]["rows"]


def data_package():
    """Checks sizes and hashes of both files, and types and constraints of every row of the CSV
    file."""
    report = frictionless.validate(str(folder / "datapackage.json"))
    assert report.valid, report.flatten(["type", "message"])[:5]
    assert [task.stats.get("rows") for task in report.tasks] == [None, rows], report.tasks


def croissant():
    """Checksums are verified on reading, and every field is converted to its declared type."""
    warnings = []
    handler = logging.Handler()
    handler.emit = lambda record: warnings.append(record.getMessage())
    logging.getLogger("absl").addHandler(handler)
    dataset = mlcroissant.Dataset(jsonld=folder / "croissant.json")
    assert not dataset.metadata.ctx.issues.errors, dataset.metadata.ctx.issues.report()
    assert not dataset.metadata.ctx.issues.warnings, dataset.metadata.ctx.issues.report()
    assert not warnings, warnings
    records = list(dataset.records("rows"))
    assert len(records) == rows, len(records)
    columns = [field["name"] for field in json.loads((folder / "croissant.json").read_text())["recordSet"][0]["field"]]
    assert all(len(record) == len(columns) for record in records)


def registry_entry():
    """A YAML 1.1 reader, as the registry uses, must read numbers as numbers and texts as texts."""
    entry = yaml.safe_load((folder / "registry-entry.yaml").read_text())
    assert entry["status"] == "Draft" and entry["tier"] == 3, entry
    deployment = entry["deployment"]
    assert isinstance(deployment["basic"]["publication_date"], str)
    parameters = deployment["privacy_loss"]["privacy_parameters"]
    assert parameters and all(isinstance(value, float) for value in parameters.values()), parameters
    for token in yaml.scan((folder / "registry-entry.yaml").read_text()):
        assert getattr(token, "style", None) != ">", token


def rows_of_both_files():
    parquet = pyarrow.parquet.read_table(folder / "data/synthetic.parquet")
    options = pyarrow.csv.ConvertOptions(column_types=parquet.schema, strings_can_be_null=True)
    csv = pyarrow.csv.read_csv(folder / "data/synthetic.csv", convert_options=options)
    assert parquet.num_rows == rows and csv.column_names == parquet.column_names
    for name in parquet.column_names:
        assert csv.column(name).equals(parquet.column(name)), name


def sums():
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, check=True)


for check in [data_package, croissant, registry_entry, rows_of_both_files, sums]:
    check()
    print("ok", check.__name__)
