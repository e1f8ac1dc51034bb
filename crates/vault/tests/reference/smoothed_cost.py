"""Writes the reference values of tests/smooth.rs, computed with 120 digits by mpmath.

    python3 smoothed_cost.py          # writes smoothed_cost.csv beside this file

The costs of rows drawn from a smoothed histogram: k ln r and k (ln r)^2 / 2 in quanta of 2^-96, rounded up.
"""

import pathlib

from mpmath import ceil, log, mp, mpf

from mixed_epsilon import Numbers

mp.dps = 120
HERE = pathlib.Path(__file__).parent


def row(index):
    numbers = Numbers(index)

    def number(bits):
        """Draws a number from 1 to 2^bits - 1, with a random number of bits."""
        length = 1 + numbers.below(bits)
        return max(1, (numbers.next() * 2**31 + numbers.next()) % 2**length)

    cells, unit, rows, drawn = number(24), number(10), number(50), number(26)
    # Near both ends and in between.
    smoothing = [number(32), 2**32 - number(32), number(4), 2**32 - number(4)][index % 4]
    ratio = 1 + mpf(2**32 - smoothing) * cells * unit / (mpf(rows) * smoothing)
    costs = [ceil(drawn * loss * 2**96) for loss in (log(ratio), log(ratio) ** 2 / 2)]
    return ",".join(str(int(field)) for field in (cells, unit, rows, drawn, smoothing, *costs))


if __name__ == "__main__":
    lines = ["cells,unit,rows,drawn,smoothing,epsilon,rho", *(row(index) for index in range(1, 1001))]
    (HERE / "smoothed_cost.csv").write_text("\n".join(lines) + "\n")
