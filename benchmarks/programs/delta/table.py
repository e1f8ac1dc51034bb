"""Writes a Delta table of several versions with the package of Delta, and the live rows of each version as one Parquet file.

python3 table.py DIRECTORY ROWS

The table is DIRECTORY/people, the rows of version 3 are DIRECTORY/live-3.parquet, and so on. Prints the number of versions.
"""

import random
import sys
from pathlib import Path

import deltalake
import pyarrow
import pyarrow.parquet

CITIES = ["Oslo", "Köln", "São Paulo", "a/b=c %", None]


def rows(number, seed, late):
    draw = random.Random(seed)
    columns = {
        "id": pyarrow.array(range(number), pyarrow.int64()),
        "city": pyarrow.array([draw.choice(CITIES) for _ in range(number)]),
        "age": pyarrow.array([draw.randrange(100) if draw.random() < 0.9 else None for _ in range(number)], pyarrow.int32()),
        "paid": pyarrow.array([draw.random() < 0.4 for _ in range(number)]),
    }
    if late:
        columns["points"] = pyarrow.array([draw.randrange(20) for _ in range(number)], pyarrow.int16())
    return pyarrow.table(columns)


def main():
    directory, number = Path(sys.argv[1]), int(sys.argv[2])
    path = str(directory / "people")
    deltalake.write_deltalake(path, rows(number, 1, late=False), partition_by=["city"])
    deltalake.write_deltalake(path, rows(number, 2, late=False), mode="append")
    table = deltalake.DeltaTable(path)
    table.delete("age >= 30 AND paid")
    table.create_checkpoint()
    table.delete("city = 'Oslo'")
    # A column that older files lack, and then more deleted rows in all of them.
    deltalake.write_deltalake(path, rows(number, 3, late=True), mode="append", schema_mode="merge")
    table.update_incremental()
    table.delete("age < 10")
    table.update({"paid": "true"}, predicate="age = 50")
    table.create_checkpoint()
    deltalake.write_deltalake(path, rows(number // 2, 4, late=True), mode="append")
    table.update_incremental()
    table.optimize.compact()
    versions = table.version() + 1
    for version in range(versions):
        live = deltalake.DeltaTable(path, version=version).to_pyarrow_table()
        pyarrow.parquet.write_table(live, directory / f"live-{version}.parquet")
    print(versions)


main()
