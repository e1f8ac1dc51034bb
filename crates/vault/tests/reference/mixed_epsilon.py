"""Writes the reference values of the mixed certificates of tests/certificate.rs, computed with 60 digits by mpmath.

    python3 mixed_epsilon.py          # writes mixed_epsilon.csv beside this file

Costs are summed as exact rationals; epsilon follows from rho by the conversion of zcdp_profile.py.
"""

import pathlib
from fractions import Fraction

from mpmath import mpf, nstr

from gdp_profile import Numbers
from zcdp_profile import epsilon_of

HERE = pathlib.Path(__file__).parent


def dyadic(numbers, places):
    numerator = 2**47 + numbers.next() * 2**16 + numbers.below(2**16)
    return Fraction(numerator, 2 ** (places - numbers.below(6)))


def total(index, pure):
    """epsilon or rho of event list number `index`."""
    numbers = Numbers(index)
    m = 1 + numbers.below(3)
    spent = Fraction(0)
    for _ in range(1 + numbers.below(30)):
        kind = numbers.below(2 if pure else 3)
        if kind == 1:
            epsilon = dyadic(numbers, 53)
            spent += epsilon if pure else epsilon**2 / 8
        elif kind == 0:
            epsilon = m / dyadic(numbers, 44)
            spent += epsilon if pure else epsilon**2 / 2
        else:
            spent += Fraction(m * m) / (2 * dyadic(numbers, 44) ** 2)
    return spent


def rows(count, pure):
    for index in range(1, count + 1):
        spent = total(index, pure)
        spent = mpf(spent.numerator) / spent.denominator
        if pure:
            yield f"{index},pure,0,{nstr(spent, 25)}"
        else:
            delta = f"1e-{3 + index % 10}"
            yield f"{index},zcdp,{delta},{nstr(epsilon_of(spent, mpf(float(delta))), 17)}"


if __name__ == "__main__":
    lines = ["index,accounting,delta,epsilon", *rows(1000, True), *rows(1000, False)]
    (HERE / "mixed_epsilon.csv").write_text("\n".join(lines) + "\n")
