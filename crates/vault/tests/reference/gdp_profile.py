"""Writes the reference values of tests/certificate.rs, computed with 60 digits by mpmath.

    python3 gdp_profile.py            # writes profile.csv and epsilon.csv beside this file

Nothing here shares code or method with the crate: the profile is computed directly from the two normal tails, which is safe
with 60 digits, and the inverse by bisection.
"""

import pathlib

from mpmath import erfc, exp, floor, log, mp, mpf, nstr, sqrt

mp.dps = 60
HERE = pathlib.Path(__file__).parent
QUANTUM = mpf(2) ** -96


class Numbers:
    """Linear congruential generator, also in the Rust test, so that inputs need not be stored."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return self.state >> 33

    def below(self, bound):
        return self.next() % bound

    def between(self, low, high):
        return mpf(low) + (mpf(high) - low) * self.next() / 2**31


def tail(x):
    return erfc(x / sqrt(mpf(2))) / 2


def delta(mu, epsilon):
    with mp.workdps(120):
        return tail(epsilon / mu - mu / 2) - exp(epsilon) * tail(epsilon / mu + mu / 2)


def profile_rows(count, max_mu, min_epsilon, max_epsilon):
    numbers = Numbers(count)
    while count:
        mu = exp(numbers.between(log(mpf("1e-4")), log(mpf(max_mu))))
        quanta = int(floor(mu * mu / QUANTUM))
        mu = sqrt(quanta * QUANTUM)
        # Where the profile is neither one nor beyond the range of floats.
        epsilon = float(nstr(mu * (numbers.between(-9, 37) + mu / 2), 6))
        if not min_epsilon <= epsilon <= max_epsilon:
            continue
        value = delta(mu, mpf(epsilon))
        if value < mpf("1e-299"):
            continue
        yield f"{quanta:x},{epsilon!r},{nstr(value, 17)}"
        count -= 1


def events(index):
    """Yields (m, numerator, s) for each event of certificate number `index`."""
    numbers = Numbers(index)
    m = 1 + numbers.below(3)
    shift = numbers.below(12)
    for _ in range(1 + numbers.below(1 + numbers.below(40))):
        numerator = 2**47 + numbers.next() * 2**16 + numbers.below(2**16)
        yield m, numerator, 47 - shift - numbers.below(4)


def epsilon_of(mu, target):
    if delta(mu, mpf(0)) <= target:
        return None
    low, high = mpf(0), mpf(2) ** 20
    while high - low > high * mpf(10) ** -25:
        middle = (low + high) / 2
        low, high = (low, middle) if delta(mu, middle) <= target else (middle, high)
    return high


def epsilon_rows(count):
    index = 0
    while count:
        index += 1
        mu = sqrt(sum(mpf(m) ** 2 * mpf(4) ** s / mpf(numerator) ** 2 for m, numerator, s in events(index)))
        target = float(f"1e-{3 + index % 10}")
        epsilon = epsilon_of(mu, mpf(target))
        if epsilon is None or not mpf("0.001") <= epsilon <= 1000:
            continue
        yield f"{index},{nstr(epsilon, 17)}"
        count -= 1


def write(name, header, rows):
    (HERE / name).write_text("\n".join([header, *rows]) + "\n")


if __name__ == "__main__":
    profile = [*profile_rows(2200, 20, 0.001, 50), *profile_rows(300, 1400, 50, 1e6)]
    write("profile.csv", "mu_squared_quanta_hex,epsilon,delta", profile)
    write("epsilon.csv", "index,epsilon", epsilon_rows(2000))
