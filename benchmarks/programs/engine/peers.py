"""Counts all pairs of columns with another engine, one GROUP BY each, and prints the processor seconds it took.

python3 peers.py duckdb|polars DIRECTORY ROWS
"""

import itertools
import os
import resource
import sys

# Before the engine is loaded: it reads this once.
os.environ["POLARS_MAX_THREADS"] = "2"


def duckdb_pairs(directory, pairs):
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    for first, second in pairs(connection.execute(f"DESCRIBE SELECT * FROM '{directory}/*.parquet'").fetchall()):
        query = f"SELECT {first}, {second}, count(*) FROM '{directory}/*.parquet' GROUP BY {first}, {second}"
        yield sum(row[2] for row in connection.execute(query).fetchall())


def polars_pairs(directory, pairs):
    import polars

    table = polars.scan_parquet(f"{directory}/*.parquet")
    for first, second in pairs([(name,) for name in table.collect_schema().names()]):
        counts = table.group_by(first, second).len().collect(engine="streaming")
        yield counts["len"].sum()


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def main():
    engine, directory, rows = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def pairs(columns):
        return itertools.combinations([column[0] for column in columns], 2)

    count = {"duckdb": duckdb_pairs, "polars": polars_pairs}[engine]
    start = processor_seconds()
    for total in count(directory, pairs):
        if total != rows:
            sys.exit(f"{engine} counted {total} rows of {rows}")
    print(processor_seconds() - start)


main()
