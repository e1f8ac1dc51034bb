#!/usr/bin/env python3
"""Proves the inequality behind the cost of a selection by interval arithmetic, without a gap.

    python3 verify/lemma.py              # the proof, and a smaller cost that it refutes
    python3 verify/lemma.py tightness    # how much of the cost a selection needs

Each ends with one JSON object, its figures. Exit code 0: all of them hold. 1: one does not.

A selection with `epsilon` costs `mu^2 = k epsilon^2`, `k = 355/904`. The page
`docs/reference/proofs/selection-lemma.md` reduces this to one inequality. Write `Phi` for the normal
distribution function, `L(x) = ln(Phi(x)/Phi(-x))` and `c = sqrt(k)`. For all `epsilon > 0` and all
thresholds `z`,

    D(epsilon, z) = L(c epsilon - z) + L(z) - epsilon >= 0.

The page proves it by hand. This program proves it a second time, by computing, and uses of `L` only
that it is odd and how it is computed. It covers `z <= Z` with `Z = 6` and `z >= c epsilon/2`, so
`0 < epsilon <= 2 Z/c`, which is above 19. The page shows how all else follows: `D(epsilon, z)` equals
`D(epsilon, c epsilon - z)`, and `L' > |x|` is above `1/c` beyond 2.

The numbers are integers, in units of 2^-256. Every operation rounds outwards, so an interval contains
the exact result whatever the rounding. No float takes part in a proof.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import deque
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

BITS = 256  # Numbers are integers in units of 2^-BITS.
ONE = 1 << BITS
ROOT_BITS = 40  # Binary digits of `c` after the point.
MAX_SPLITS = 60  # Of one box: coordinates keep at most 60 binary digits, and with those of `c` fit BITS.

CHARGED = Fraction(355, 904)  # `mu^2` of a selection over its `epsilon^2`.
REFUTED = Fraction(999_999, 1_000_000)  # Of pi/8: a cost that the program must refute.
LARGEST_THRESHOLD = 6
# At least 2 Z/c for every cost that is tried, so that the rectangle contains the triangle.
LARGEST_EPSILON = 20
MAX_SECONDS = 120

TIGHT_AT = (Fraction(1, 100), Fraction(1, 10), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4), Fraction(8))
# The least share of the charge that a selection must need there, so that the charge counts as tight.
TIGHT_ENOUGH = {Fraction(1, 100): 0.999999, Fraction(1): 0.99}
TOGETHER = (1, 2, 4, 16, 64, 256, 1024)  # Selections, with an epsilon of 1/10 each.


# ---------------------------------------------------------------------------------- intervals

class Interval:
    """A closed interval that contains an exact number; its ends are integers in units of 2^-BITS."""

    __slots__ = ("low", "high")

    def __init__(self, low: int, high: int) -> None:
        self.low, self.high = low, high

    @classmethod
    def of(cls, number: int | Fraction) -> Interval:
        """Encloses a rational number."""
        over, under = number.numerator << BITS, number.denominator
        return cls(over // under, -(-over // under))

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.low - other.high, self.high - other.low)

    def __neg__(self) -> Interval:
        return Interval(-self.high, -self.low)

    def __mul__(self, other: Interval) -> Interval:
        products = (self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high)
        # A shift to the right rounds down, also below zero.
        return Interval(min(products) >> BITS, -(-max(products) >> BITS))

    def __truediv__(self, other: Interval) -> Interval:
        """Divides by a positive interval."""
        if other.low <= 0:
            raise ZeroDivisionError("the divisor may be zero")
        low = (self.low << BITS) // (other.high if self.low >= 0 else other.low)
        high = -((-self.high << BITS) // (other.low if self.high >= 0 else other.high))
        return Interval(low, high)

    def over(self, number: int) -> Interval:
        """Divides by a positive integer."""
        return Interval(self.low // number, -(-self.high // number))

    def times(self, number: int) -> Interval:
        """Multiplies by an integer that is not negative, exactly."""
        return Interval(self.low * number, self.high * number)

    def widened(self, error: int) -> Interval:
        """Adds an error of either sign, in units of 2^-BITS."""
        return Interval(self.low - error, self.high + error)

    def magnitude(self) -> int:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))


def exp_of_minus(x: Interval) -> Interval:
    """Encloses `e^-x` for `x >= 0`: the exponential series at `x/2^n`, squared `n` times.

    At `x/2^n <= 1/2` the terms alternate and fall, so the sum is between any two partial sums that
    follow each other: the error is at most the first term that is left out.
    """
    halvings = max(0, x.high.bit_length() - BITS + 1)
    small = x.over(1 << halvings)
    term, total, n = Interval.of(1), Interval.of(1), 0
    while term.magnitude() > 1:
        n += 1
        term = -(term * small).over(n)
        total = total + term
    total = total.widened(term.magnitude())
    for _ in range(halvings):
        total = total * total
    return total


def artanh(x: Interval) -> Interval:
    """Encloses `x + x^3/3 + x^5/5 + ...` for `|x| <= 0.6`.

    What follows `x^n/n` is at most `x^n (x^2 + x^4 + ...)`, so below `x^n`.
    """
    square, power, total, n = x * x, x, x, 1
    while power.magnitude() > 1:
        n += 2
        power = power * square
        total = total + power.over(n)
    return total.widened(power.magnitude())


LN_2 = artanh(Interval.of(Fraction(1, 3))).times(2)


def ln(x: Interval) -> Interval:
    """Encloses the logarithm of a positive interval: `x = 2^n m`, `ln m = 2 artanh((m-1)/(m+1))`.

    With `m` between 1/4 and 1 the argument is between -0.6 and 0.
    """
    if 2 * x.low < x.high:
        raise ValueError("the argument of a logarithm is not positive, or too wide")
    n = x.high.bit_length() - BITS
    m = x.over(1 << n) if n >= 0 else x.times(1 << -n)
    one = Interval.of(1)
    logarithm = artanh((m - one) / (m + one)).times(2)
    return logarithm + (LN_2.times(n) if n >= 0 else -LN_2.times(-n))


def sqrt(x: Interval) -> Interval:
    """Encloses the square root of an interval that is not negative."""
    return Interval(math.isqrt(x.low << BITS), math.isqrt(x.high << BITS) + 1)


def pi() -> Interval:
    """Encloses pi by Machin's formula, 16 atan(1/5) - 4 atan(1/239)."""
    def arctangent(inverse: int) -> Interval:
        # The terms alternate and fall: the error is at most the first one left out.
        power, total, n = Interval.of(Fraction(1, inverse)), Interval.of(0), 0
        while power.magnitude() > 1:
            term = power.over(2 * n + 1)
            total = total - term if n % 2 else total + term
            power, n = power.over(inverse ** 2), n + 1
        return total.widened(power.magnitude())
    return arctangent(5).times(16) - arctangent(239).times(4)


# ------------------------------------------------------------------- the normal distribution

PI = pi()
ROOT_TWO_PI = sqrt(PI.times(2))
HALF, QUARTER = Interval.of(Fraction(1, 2)), Interval.of(Fraction(1, 4))


@lru_cache(maxsize=None)
def density(x: int) -> Interval:
    """Encloses the normal density at the point `x` in units of 2^-BITS."""
    point = Interval(x, x)
    return exp_of_minus((point * point).over(2)) / ROOT_TWO_PI


@lru_cache(maxsize=None)
def above_half(x: int) -> Interval:
    """Encloses `Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/15 + ...)` at a point `x >= 0`.

    The derivative of the sum is 1 plus `x` times the sum, as it is for `(Phi(x) - 1/2)/phi(x)`. All
    terms are positive. The ratio of a term to the one before falls; once it is at most 1/2, all that
    follows a term is at most as much as that term.
    """
    point = Interval(x, x)
    square = point * point
    term, total, n = point, point, 1
    while term.high > 1 or 2 * square.high > (n + 2) * ONE:
        n += 2
        term = (term * square).over(n)
        total = total + term
    return Interval(total.low, total.high + term.high) * density(x)


@lru_cache(maxsize=None)
def log_odds(x: int) -> Interval:
    """Encloses `L(x) = ln(Phi(x)/Phi(-x))` at a point."""
    if x < 0:
        return -log_odds(-x)
    above = above_half(x)
    return ln((HALF + above) / (HALF - above))


def slope(low: int, high: int) -> Interval:
    """Encloses `L' = phi/(Phi(x) Phi(-x))` over all `x` from `low` to `high`.

    It is even. With `|x|` the density falls, and so does `Phi(x) Phi(-x) = 1/4 - (Phi(|x|) - 1/2)^2`:
    each is bounded by its values at the least and the largest `|x|`. Raises ZeroDivisionError where
    the product is lost in rounding, which is far beyond all thresholds.
    """
    nearest = 0 if low <= 0 <= high else min(abs(low), abs(high))
    farthest = max(abs(low), abs(high))
    above_nearest, above_farthest = above_half(nearest), above_half(farthest)
    densities = Interval(density(farthest).low, density(nearest).high)
    products = Interval((QUARTER - above_farthest * above_farthest).low, (QUARTER - above_nearest * above_nearest).high)
    return densities / products


# ---------------------------------------------------------------------------------- the proof

class Box(NamedTuple):
    """A rectangle of the plane of `epsilon` and threshold `z`, in units of 2^-BITS."""

    least_epsilon: int
    largest_epsilon: int
    least_z: int
    largest_z: int
    splits: int = 0

    def area(self) -> int:
        return (self.largest_epsilon - self.least_epsilon) * (self.largest_z - self.least_z)

    def centre(self) -> tuple[int, int]:
        return (self.least_epsilon + self.largest_epsilon) // 2, (self.least_z + self.largest_z) // 2

    def halves(self) -> tuple[Box, Box]:
        """Splits the longer side; the two halves share their common side."""
        epsilon, z = self.centre()
        if self.largest_epsilon - self.least_epsilon > self.largest_z - self.least_z:
            return (self._replace(largest_epsilon=epsilon, splits=self.splits + 1),
                    self._replace(least_epsilon=epsilon, splits=self.splits + 1))
        return self._replace(largest_z=z, splits=self.splits + 1), self._replace(least_z=z, splits=self.splits + 1)

    def text(self) -> str:
        least_epsilon, largest_epsilon, least_z, largest_z = (side / ONE for side in self[:4])
        return f"epsilon {least_epsilon:.6g} to {largest_epsilon:.6g}, z {least_z:.6g} to {largest_z:.6g}"


class Refuted(Exception):
    """`D` is negative at a point: the cost is too low."""


class Undecided(Exception):
    """A box was split MAX_SPLITS times, and is neither proven nor refuted."""


class Proof(NamedTuple):
    """What was proven: `D >= least_margin epsilon` on all boxes. Margin and area are in units."""

    by_slope: int
    by_centre: int
    beyond_symmetry: int
    least_margin: int
    missing_area: int


class Cost:
    """The inequality at a cost `k`.

    `c` is rounded down to ROOT_BITS digits. That proves more: `L` rises, so `D` is larger at
    `sqrt(k)`. All coordinates and `c epsilon` are then exact.
    """

    def __init__(self, cost: Fraction) -> None:
        self.root = math.isqrt((cost.numerator << 2 * ROOT_BITS) // cost.denominator)
        if Fraction(self.root, 1 << ROOT_BITS) ** 2 > cost:
            raise ValueError("c was rounded up")
        self.c = Interval.of(Fraction(self.root, 1 << ROOT_BITS))

    def mu(self, epsilon: int) -> int:
        """Computes `c epsilon` exactly, in units of 2^-BITS."""
        product, rest = divmod(self.root * epsilon, 1 << ROOT_BITS)
        if rest:
            raise ValueError("c epsilon has too many digits")
        return product

    def difference(self, epsilon: int, z: int) -> Interval:
        """Encloses `D` at a point."""
        return log_odds(self.mu(epsilon) - z) + log_odds(z) - Interval(epsilon, epsilon)

    def slopes(self, box: Box) -> tuple[Interval, Interval]:
        """Encloses the derivatives of `D` for `epsilon` and for `z` over the box.

        They are `c L'(z - c epsilon) - 1` and `L'(z) - L'(z - c epsilon)`, because `L'` is even.
        """
        near = slope(box.least_z, box.largest_z)
        far = slope(box.least_z - self.mu(box.largest_epsilon), box.largest_z - self.mu(box.least_epsilon))
        return self.c * far - Interval.of(1), near - far

    def margin_by_slope(self, box: Box) -> int:
        """A lower bound of `D/epsilon` over the box.

        `D` is the integral of `c L' - 1` over `epsilon`, from 0: `L'` is that at `c e - z` with `e`
        from 0 to `epsilon`, and `z - c e` is between `z - c epsilon` and `z`.
        """
        return (self.c * slope(box.least_z - self.mu(box.largest_epsilon), box.largest_z)).low - ONE

    def margin_by_centre(self, box: Box) -> int:
        """A lower bound of `D/epsilon` over the box if it is positive; else zero.

        By the mean value theorem `D` is at least its value in the centre, less half of each side
        times the largest absolute derivative for it. Refutes the cost if `D` is negative in the
        centre.
        """
        epsilon, z = box.centre()
        centre = self.difference(epsilon, z)
        if centre.high < 0:
            raise Refuted(f"D is below zero at epsilon {epsilon / ONE:.6g}, z {z / ONE:.6g}")
        for_epsilon, for_z = self.slopes(box)
        by_epsilon = Interval(0, box.largest_epsilon - epsilon) * Interval(0, for_epsilon.magnitude())
        by_z = Interval(0, box.largest_z - z) * Interval(0, for_z.magnitude())
        least = centre.low - by_epsilon.high - by_z.high
        return (least << BITS) // box.largest_epsilon if least > 0 else 0

    def is_beyond_symmetry(self, box: Box) -> bool:
        """Whether `z < c epsilon/2` on all of the box, so that its mirror image proves it."""
        return 2 * box.largest_z < self.mu(box.least_epsilon)

    def prove(self, region: Box) -> Proof:
        """Proves `D > 0` for all points of the region with `epsilon > 0` and `z >= c epsilon/2`.

        Raises Refuted or Undecided if it is not so.
        """
        by_slope: list[int] = []
        by_centre: list[int] = []
        beyond, missing = 0, region.area()
        # Large boxes first: a cost that is too low is then refuted before many boxes lie along the
        # line where D is zero.
        boxes = deque([region])
        while boxes:
            box = boxes.popleft()
            if self.is_beyond_symmetry(box):
                beyond, missing = beyond + 1, missing - box.area()
            elif (margin := self.margin_by_slope(box)) > 0:
                by_slope.append(margin)
                missing -= box.area()
            elif (margin := self.margin_by_centre(box)) > 0:
                by_centre.append(margin)
                missing -= box.area()
            elif box.splits < MAX_SPLITS:
                boxes.extend(box.halves())
            else:
                raise Undecided(box.text())
        return Proof(len(by_slope), len(by_centre), beyond, min(by_slope + by_centre), missing)


def rectangle(largest_epsilon: int | Fraction, largest_z: int | Fraction, least_epsilon: int | Fraction = 0) -> Box:
    """The box of all thresholds from 0 up to one, for a range of `epsilon`: binary fractions."""
    sides = (Fraction(side) * ONE for side in (least_epsilon, largest_epsilon, 0, largest_z))
    return Box(*map(int, sides))


def needed_mu(epsilon: Fraction) -> Interval:
    """Encloses the least `mu` of one selection, which solves `2 L(mu/2) = epsilon`.

    It is that of two candidates whose scores exchange their places. `L` rises, so bisection finds it.
    """
    half_epsilon = Interval.of(epsilon / 2)
    # L' is above 1, so mu/2 is below epsilon/2. Each end is replaced only after a proven sign.
    low, high = 0, half_epsilon.high
    while high - low > ONE >> 100:
        middle = (low + high) // 2
        value = log_odds(middle)
        if value.high < half_epsilon.low:
            low = middle
        elif value.low > half_epsilon.high:
            high = middle
        else:
            break
    return Interval(low, high).times(2)


def needed_share(epsilon: Fraction) -> Interval:
    """Encloses the share of the charged `mu^2` that one selection needs."""
    mu = needed_mu(epsilon)
    return mu * mu / Interval.of(CHARGED * epsilon ** 2)


def needed_share_together(epsilon: float, selections: int) -> float:
    """Measures, in floats, the share of the charge that equal selections need together.

    Each is that of `needed_mu`: outcome 1 has probability `p` on one table and `1 - p` on the other.
    The number of outcomes 1 decides every test. At each threshold for it, Gaussian noise must reach
    the two errors of the test.
    """
    p, normal = 1 / (1 + math.exp(-epsilon / 2)), NormalDist()
    logs = [math.lgamma(selections + 1) - math.lgamma(k + 1) - math.lgamma(selections - k + 1)
            + k * math.log(p) + (selections - k) * math.log1p(-p) for k in range(selections + 1)]
    weights = [math.exp(value) for value in logs]
    needed = 0.0
    for k in range(1, selections + 1):
        # On the other table the number of outcomes 1 is distributed as that of the others is here.
        missed, false_alarm = math.fsum(weights[:k]), math.fsum(weights[:selections - k + 1])
        # Far out, sums of floats lose their digits, and the least mu is not there.
        if min(missed, false_alarm) > 1e-9:
            needed = max(needed, -normal.inv_cdf(missed) - normal.inv_cdf(false_alarm))
    return needed ** 2 / (selections * float(CHARGED) * epsilon ** 2)


# ---------------------------------------------------------------------------------- figures

def figure(name: str, value: float, unit: str, bar: float | None, holds: bool | None) -> dict:
    """Prints a figure and returns it; without a bar it is only reported."""
    print(f"{name}: {value} {unit}", flush=True)
    return {"name": name, "value": value, "unit": unit, "bar": bar, "holds": holds}


def is_refuted(cost: Fraction) -> bool:
    """Whether the program finds a point at which the cost is too low."""
    try:
        Cost(cost).prove(rectangle(LARGEST_EPSILON, LARGEST_THRESHOLD))
    except Refuted as refuted:
        print(f"mu^2 = {float(cost):.9f} epsilon^2 is too low: {refuted}")
        return True
    return False


def proof_figures() -> list[dict]:
    """Proves the inequality at the cost that is charged, and refutes one that is a millionth below pi/8."""
    began = time.perf_counter()
    cost = Cost(CHARGED)
    region = rectangle(LARGEST_EPSILON, LARGEST_THRESHOLD)
    if cost.mu(region.largest_epsilon) < 2 * region.largest_z:
        raise ValueError("the rectangle does not contain all epsilon at the largest threshold")
    print(f"D >= 0 is to be shown for 0 < epsilon, c epsilon/2 <= z <= {LARGEST_THRESHOLD}, with c^2 = {CHARGED}")
    proof = cost.prove(region)
    print(f"proven by the slope of L on {proof.by_slope} boxes, by the value in their centre on {proof.by_centre}; "
          f"{proof.beyond_symmetry} are left to their mirror image")
    refuted = is_refuted(Fraction(PI.low, 8 * ONE) * REFUTED)
    seconds = round(time.perf_counter() - began, 1)
    # Two digits, rounded down.
    margin = float(Context(prec=2, rounding=ROUND_FLOOR).divide(Decimal(proof.least_margin), Decimal(ONE)))
    return [
        figure("boxes on which the inequality is proven", proof.by_slope + proof.by_centre, "boxes", None, None),
        figure("area without a box", proof.missing_area, "of the rectangle", 0, proof.missing_area == 0),
        figure("least margin, proven", margin, "of epsilon", 0, margin > 0),
        figure("lower cost refuted, as a share of pi/8", float(REFUTED), "of pi/8", float(REFUTED), refuted),
        figure("time", seconds, "s", MAX_SECONDS, seconds <= MAX_SECONDS),
    ]


def tightness_figures() -> list[dict]:
    """Measures how much of the charge one selection needs, and how much many need together."""
    figures = []
    for epsilon in TIGHT_AT:
        share = needed_share(epsilon)
        least, largest = (end / ONE for end in (share.low, share.high))
        print(f"epsilon {float(epsilon)}: the least mu^2 is {least:.9f} of the charge, at most {largest:.9f}")
        bar = TIGHT_ENOUGH.get(epsilon)
        within = share.high <= ONE and (bar is None or least >= bar)
        figures.append(figure(f"needed by a selection at epsilon {float(epsilon)}", round(least, 9), "of the charge",
                              bar, within))
    for selections in TOGETHER:
        share = needed_share_together(0.1, selections)
        name = f"needed by {selections} selections together, at epsilon 0.1 each"
        figures.append(figure(name, round(share, 4), "of the charge, in floats", 1, share <= 1))
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mode", nargs="?", choices=("prove", "tightness"), default="prove")
    mode = parser.parse_args().mode
    try:
        figures = proof_figures() if mode == "prove" else tightness_figures()
    except (Refuted, Undecided) as reason:
        print(f"not proven: {reason}")
        figures = [figure("proven", 0, "of 1", 1, False)]
    print(json.dumps({"figures": figures}))
    return 1 if any(each["holds"] is False for each in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
