"""Writes the reference values of the mixed certificates of tests/certificate.rs, computed with 60 digits by mpmath.

    python3 mixed_epsilon.py          # writes mixed_epsilon.csv beside this file

Costs are summed as exact rationals; epsilon follows from rho by the conversion of zcdp_profile.py, and from mu² by that of
gdp_profile.py.
"""

import pathlib
from fractions import Fraction

import gdp_profile
import zcdp_profile
from gdp_profile import Numbers
from mpmath import mpf, nstr, pi, sqrt

HERE = pathlib.Path(__file__).parent
# mu² of a selection divided by its epsilon²: a fraction that is not below pi/8.
SELECTION = Fraction(355, 904)
assert mpf(SELECTION.numerator) / SELECTION.denominator > pi / 8
KINDS = {"pure": ("laplace", "selection"), "gdp": ("selection", "gaussian"), "zcdp": ("laplace", "selection", "gaussian")}
COSTS = {
    ("laplace", "pure"): lambda epsilon: epsilon,
    ("laplace", "zcdp"): lambda epsilon: epsilon**2 / 2,
    ("selection", "pure"): lambda epsilon: epsilon,
    ("selection", "gdp"): lambda epsilon: SELECTION * epsilon**2,
    ("selection", "zcdp"): lambda epsilon: epsilon**2 / 8,
    ("gaussian", "gdp"): lambda mu: mu**2,
    ("gaussian", "zcdp"): lambda mu: mu**2 / 2,
}


def dyadic(numbers, places):
    numerator = 2**47 + numbers.next() * 2**16 + numbers.below(2**16)
    return Fraction(numerator, 2 ** (places - numbers.below(6)))


def total(index, accounting):
    """Returns epsilon, mu² or rho of event list number `index`."""
    numbers = Numbers(index)
    m = 1 + numbers.below(3)
    spent = Fraction(0)
    for _ in range(1 + numbers.below(30)):
        kinds = KINDS[accounting]
        kind = kinds[numbers.below(len(kinds))]
        loss = dyadic(numbers, 53) if kind == "selection" else m / dyadic(numbers, 44)
        spent += COSTS[kind, accounting](loss)
    return spent


def epsilon(spent, accounting, delta):
    spent = mpf(spent.numerator) / spent.denominator
    if accounting == "pure":
        return nstr(spent, 25)
    target = mpf(float(delta))
    epsilon = gdp_profile.epsilon_of(sqrt(spent), target) if accounting == "gdp" else zcdp_profile.epsilon_of(spent, target)
    return nstr(epsilon, 17)


def rows(count, accounting):
    for index in range(1, count + 1):
        delta = "0" if accounting == "pure" else f"1e-{3 + index % 10}"
        yield f"{index},{accounting},{delta},{epsilon(total(index, accounting), accounting, delta)}"


if __name__ == "__main__":
    lines = ["index,accounting,delta,epsilon", *(row for accounting in ("pure", "zcdp", "gdp") for row in rows(1000, accounting))]
    (HERE / "mixed_epsilon.csv").write_text("\n".join(lines) + "\n")
