"""Whether forked workers have noise of their own."""

from __future__ import annotations

import json
import multiprocessing

import scumble

WORKERS = 8


def noise(_: int) -> str:
    people, schema = scumble.demo(200)
    return scumble.Independent(0.5, 0.0).fit(people, schema).model_.fingerprint


def main() -> None:
    noise(0)
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        prints = set(pool.map(noise, range(WORKERS), chunksize=1))
    figures = [{"name": f"different noise of {WORKERS} forked workers", "value": len(prints), "unit": "of 8", "bar": WORKERS, "holds": len(prints) == WORKERS}]
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main()
