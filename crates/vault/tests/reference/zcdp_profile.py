"""Writes the reference values of tests/zcdp.rs, computed with 60 digits by mpmath.

    python3 zcdp_profile.py           # writes zcdp_profile.csv and zcdp_epsilon.csv beside this file

Nothing here shares code or method with the crate: both bounds are evaluated directly, as functions of the order `a`, and their
minimum is found by golden-section search, without a derivative. A minimum located to 35 digits has a value known to 70.
"""

import pathlib

from gdp_profile import Numbers
from mpmath import exp, floor, log, mp, mpf, nstr, sqrt

mp.dps = 80
HERE = pathlib.Path(__file__).parent
QUANTUM = mpf(2) ** -96
GOLDEN = (sqrt(mpf(5)) - 1) / 2


def least(bound):
    """Returns the minimum over `a > 1` of a function that falls and then rises."""
    value = lambda s: bound(1 + exp(s))
    low, high = mpf(-60), mpf(90)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = value(left), value(right)
    while high - low > mpf(10) ** -35:
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = value(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = value(right)
    return min(at_left, at_right)


def delta(rho, epsilon):
    return exp(least(lambda a: (a - 1) * (a * rho - epsilon) + a * log(1 - 1 / a) - log(a - 1)))


def epsilon_of(rho, target):
    """Solves the bound on `delta` for `epsilon` at each `a`. Negative if even zero reaches the target."""
    return least(lambda a: a * rho + (log(1 / target) + a * log(1 - 1 / a) - log(a - 1)) / (a - 1))


def totals(seed, min_rho, max_rho):
    """Yields log-uniform quanta with their `rho`."""
    numbers = Numbers(seed)
    while True:
        quanta = int(floor(exp(numbers.between(log(mpf(min_rho)), log(mpf(max_rho)))) / QUANTUM))
        yield numbers, quanta, quanta * QUANTUM


def profile_rows(count, min_rho, max_rho):
    for numbers, quanta, rho in totals(count, min_rho, max_rho):
        # Where the profile is neither one nor beyond the range of floats. Negative numbers become zero.
        epsilon = float(nstr(max(mpf(0), rho + sqrt(rho) * numbers.between(-4, 53)), 6))
        if epsilon > 1e6:
            continue
        value = delta(rho, mpf(epsilon))
        if value < mpf("1e-299"):
            continue
        yield f"{quanta:x},{epsilon!r},{nstr(value, 17)}"
        count -= 1
        if not count:
            return


def zero_rows(count):
    """Yields rows with `epsilon` zero, from one quantum on."""
    for _, quanta, rho in totals(count, QUANTUM, 100):
        yield f"{quanta:x},0.0,{nstr(delta(rho, mpf(0)), 17)}"
        count -= 1
        if not count:
            return


def epsilon_rows(count):
    for numbers, quanta, rho in totals(count, "1e-8", 100):
        target = float(nstr(exp(numbers.between(log(mpf("1e-20")), log(mpf("1e-3")))), 3))
        epsilon = epsilon_of(rho, mpf(target))
        if not mpf("0.001") <= epsilon <= 1000:
            continue
        yield f"{quanta:x},{target!r},{nstr(epsilon, 17)}"
        count -= 1
        if not count:
            return


def write(name, header, rows):
    (HERE / name).write_text("\n".join([header, *rows]) + "\n")


if __name__ == "__main__":
    profile = [*profile_rows(1000, "1e-12", 50), *profile_rows(400, 50, 1e6), *zero_rows(100)]
    write("zcdp_profile.csv", "rho_quanta_hex,epsilon,delta", profile)
    write("zcdp_epsilon.csv", "rho_quanta_hex,delta,epsilon", epsilon_rows(2000))
