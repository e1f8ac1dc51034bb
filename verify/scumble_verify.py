#!/usr/bin/env python3
"""A second verifier of Scumble releases, by the pages of the book.

    python3 scumble_verify.py PATH [--signers FILE] [--json]

PATH is a release bundle (a folder), a `certificate.json`, the certificate that `scumble schema
learn` writes, or a model file. FILE has the names and public keys that you trust, in the format
`allowed_signers` of OpenSSH; a bundle must then be signed by one of them. Exit code 0: every check
holds. 1: a check fails. 2: PATH cannot be read, or FILE, or the key of the signature is of a kind
that this program cannot check.

It shares no code with Scumble and needs nothing but Python 3.9. It recomputes every cost from the
noise, never from a stored total, and it evaluates privacy profiles by interval arithmetic: a claim
passes only if a proven upper bound of delta is at most the stated one.

`docs/how-to/check-a-release-without-us.md` says what this proves, and what no program can know.
"""

import argparse
import base64
import binascii
import csv
import hashlib
import json
import math
import os
import re
import stat
import struct
import sys
from datetime import date, datetime, timedelta, timezone
from decimal import (MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DivisionByZero, InvalidOperation,
                     Overflow)
from fractions import Fraction

QUANTA = 2 ** 96  # Costs are whole numbers of quanta of 2^-96.
LATTICE = 2 ** 10  # Scores are whole numbers of lattice units of 2^-10.
MAX_TEXT = 128 * 2 ** 20  # Bytes of a description; a larger one is refused before it is parsed.
MAX_MODEL = 2 ** 32  # Bytes of a model file.
MAX_LIST = 16 * 2 ** 10  # Bytes of SHA256SUMS.
MAX_EPSILON = 10 ** 6  # The proofs of rounding reach up to here.
CLASSES = (121, 221, 265)  # Classes of texts that columns are learned from: of earlier builds, and now.


class Unreadable(Exception):
    """PATH cannot be read at all: exit code 2."""


class Refused(Exception):
    """A check fails: exit code 1."""


class Report:
    """The checks of one run, in order."""

    def __init__(self, path):
        self.path, self.kind, self.claim, self.checks = path, None, None, []
        self.unknown_key = False  # Signers were given, and the key is of a kind that is not checked.

    def add(self, check, outcome, text):
        self.checks.append({"check": check, "outcome": outcome, "text": text})

    def passed(self, check, text):
        self.add(check, "passed", text)

    def not_checked(self, check, text):
        self.add(check, "not-checked", text)

    def run(self, check, function, *arguments):
        """Runs a check that returns what it found. Returns whether it holds."""
        try:
            self.passed(check, function(*arguments))
            return True
        except Refused as refused:
            self.add(check, "failed", str(refused))
        except Exception as error:  # noqa: BLE001
            # Absurd numbers, nesting or types: whatever stopped the check, it was not shown to
            # hold.
            self.add(check, "failed", f"cannot be checked: {type(error).__name__}: {shown(str(error))}")
        return False

    def holds(self):
        return bool(self.checks) and all(check["outcome"] != "failed" for check in self.checks)

    def as_json(self):
        return {"path": self.path, "kind": self.kind, "holds": self.holds(), "claim": self.claim, "checks": self.checks}


def require(holds, text):
    if not holds:
        raise Refused(text)


def shown(value):
    """A value from a file, for a message: short, and without control characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


# ---------------------------------------------------------------------------------------- JSON

def parse_json(data, name):
    """Parses JSON and refuses what readers disagree about: keys given twice, NaN, invalid UTF-8.

    A key given twice would let a forger show one epsilon to this program and another to the next.
    Numbers with a point or an exponent become `Decimal`, so nothing is rounded before it is
    compared.
    """
    def pairs(items):
        keys = [key for key, _ in items]
        require(len(set(keys)) == len(keys), f"{name}: a key is given twice")
        return dict(items)

    def constant(text):
        raise Refused(f"{name}: {text} is not a number of JSON")

    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=pairs, parse_float=Decimal, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{name}: not valid JSON ({type(error).__name__})") from None


def check_keys(value, required, optional, name):
    """Refuses unknown properties: one might change the meaning of the others."""
    require(type(value) is dict, f"{name}: not an object")
    unknown = sorted(set(value) - set(required) - set(optional))
    missing = [key for key in required if key not in value]
    require(not unknown, f"{name}: unknown property {', '.join(shown(key) for key in unknown)}")
    require(not missing, f"{name}: {', '.join(missing)} missing")


def one_variant(value, name):
    """`{"kind": content}` with exactly one kind."""
    require(type(value) is dict and len(value) == 1, f"{name}: not an object with one property")
    return next(iter(value.items()))


def integer(value, low, high, name):
    # `True` is an int in Python, but not in JSON.
    require(type(value) is int and low <= value <= high, f"{name}: {shown(value)} is not a whole number {low}..{high}")
    return value


def integer_text(value, name):
    require(type(value) is str and re.fullmatch(r"0|[1-9][0-9]{0,60}", value, re.ASCII), f"{name}: {shown(value)}")
    return int(value)


def real(value, name):
    """The 64-bit float that the text of a number stands for, as an exact fraction.

    The program writes the shortest text that reads back as the same float, so the float is what was
    claimed.
    """
    require(type(value) in (int, Decimal), f"{name}: {shown(value)} is not a number")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    require(math.isfinite(number) and number >= 0, f"{name}: {shown(value)} is not a finite number from 0 on")
    return Fraction(number)


def dyadic(value, low_log2, high_log2, name):
    """`"p/2^s"` with a `p` of exactly 48 bits, from 2^low_log2 to below 2^high_log2."""
    match = type(value) is str and re.fullmatch(r"([1-9][0-9]{0,20})/2\^(0|[1-9][0-9]{0,3})", value, re.ASCII)
    require(match, f"{name}: {shown(value)} is not a binary fraction")
    numerator, exponent = int(match[1]), int(match[2])
    require(numerator.bit_length() == 48, f"{name}: {value} does not have 48 bits")
    number = Fraction(numerator, 2 ** exponent)
    require(Fraction(2) ** low_log2 <= number < Fraction(2) ** high_log2, f"{name}: {value} is out of range")
    return number


def quanta(value, name):
    match = type(value) is str and re.fullmatch(r"(0|[1-9][0-9]{0,39})/2\^96", value, re.ASCII)
    require(match and int(match[1]) < 2 ** 128, f"{name}: {shown(value)} is not a number of quanta of 2^-96")
    return int(match[1])


def hexadecimal(value, digits, name):
    require(type(value) is str and re.fullmatch(f"[0-9a-f]{{{digits}}}", value, re.ASCII), f"{name}: {shown(value)}")


# ---------------------------------------------------------------------------------- intervals

class Interval:
    """A closed interval of decimals that contains the exact result of what was computed.

    Sums, products and quotients are rounded outwards. `exp`, `ln` and `sqrt` of `decimal` are
    correctly rounded, so the exact value is within one step of the result, and one step is added on
    each side.
    """

    __slots__ = ("low", "high")
    down = up = None

    def __init__(self, low, high):
        self.low, self.high = low, high

    @classmethod
    def set_digits(cls, digits):
        traps = [InvalidOperation, DivisionByZero, Overflow]
        cls.down = Context(prec=digits, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=traps)
        cls.up = Context(prec=digits, rounding=ROUND_CEILING, Emin=MIN_EMIN, Emax=MAX_EMAX, traps=traps)

    @classmethod
    def of(cls, number):
        """Of an integer, a fraction or a decimal."""
        if isinstance(number, Decimal):
            return cls(number, number)
        over, under = Decimal(number.numerator), Decimal(number.denominator)
        return cls(cls.down.divide(over, under), cls.up.divide(over, under))

    def __add__(self, other):
        return Interval(self.down.add(self.low, other.low), self.up.add(self.high, other.high))

    def __sub__(self, other):
        return Interval(self.down.subtract(self.low, other.high), self.up.subtract(self.high, other.low))

    def __mul__(self, other):
        if self.low >= 0 and other.low >= 0:
            return Interval(self.down.multiply(self.low, other.low), self.up.multiply(self.high, other.high))
        corners = [(x, y) for x in (self.low, self.high) for y in (other.low, other.high)]
        lows, highs = (context.multiply for context in (self.down, self.up))
        return Interval(min(lows(x, y) for x, y in corners), max(highs(x, y) for x, y in corners))

    def __truediv__(self, other):
        """By a positive interval."""
        if other.low <= 0:
            raise InvalidOperation
        lows = [self.down.divide(self.low, under) for under in (other.low, other.high)]
        highs = [self.up.divide(self.high, under) for under in (other.low, other.high)]
        return Interval(min(lows), max(highs))

    def widened(self, function):
        return Interval(function(self.down, self.low).next_minus(self.down),
                        function(self.up, self.high).next_plus(self.up))

    def exp(self):
        return self.widened(Context.exp)

    def ln(self):
        return self.widened(Context.ln)

    def sqrt(self):
        return self.widened(Context.sqrt)

    def upper(self):
        """The upper end as a fraction, and 10^-400 at least: smaller ones would fill the memory."""
        return Fraction(max(self.high, Decimal("1e-400")))

    def is_narrow(self):
        """Whether both ends agree to 18 digits."""
        return self.low > 0 and (self.high - self.low) * 10 ** 18 <= self.low


Interval.set_digits(40)


def precisely(function):
    """Computes an interval with ever more digits, until cancellation leaves enough."""
    for digits in (40, 80, 160, 320):
        Interval.set_digits(digits)
        try:
            result = function()
        finally:
            Interval.set_digits(40)
        if result.is_narrow():
            break
    return result


def pi():
    """Machin: 16 atan(1/5) - 4 atan(1/239). An alternating series ends within its next term."""
    places = Interval.down.prec + 10
    def arctangent(inverse):
        term, total, k = 10 ** places // inverse, 0, 0
        while term:
            total += (-1) ** k * (term // (2 * k + 1))
            term, k = term // inverse ** 2, k + 1
        return total, 2 * k + 2  # Each term was cut by at most 2.
    (first, error), (second, error_of_second) = arctangent(5), arctangent(239)
    centre, error = 16 * first - 4 * second, 16 * error + 4 * error_of_second
    return Interval(Interval.of(Fraction(centre - error, 10 ** places)).low,
                    Interval.of(Fraction(centre + error, 10 ** places)).high)


def mills_at(x):
    """Mills' ratio R(x) = (1 - Phi(x))/phi(x) at a decimal, enclosed."""
    point = Interval(x, x)
    if x >= 4:
        # Laplace: R = 1/(x + 1/(x + 2/(x + 3/(x + ...)))). All parts are positive, so the part that
        # is cut off after n is between 0 and (n+1)/x, and intervals carry that up to the result.
        n = 20 + int((Interval.down.prec * 0.82 / float(x)) ** 2)
        rest = Interval(Decimal(0), (Interval.of(n + 1) / point).high)
        for k in range(n, 0, -1):
            rest = Interval.of(k) / (point + rest)
        return Interval.of(1) / (point + rest)
    # R = sqrt(pi/2) e^(x^2/2) - (x + x^3/3 + x^5/15 + ...), whose terms have one sign. Once a term
    # is less than half of the one before, what follows is at most as much as the last term.
    square = point * point
    term, total, k = point, point, 0
    while abs(term.high) + abs(term.low) > Decimal(10) ** -Interval.down.prec or square.high * 2 > 2 * k + 3:
        k += 1
        term = term * square / Interval.of(2 * k + 1)
        total = total + term
    tail = abs(term.high) + abs(term.low)
    whole = (pi() / Interval.of(2)).sqrt() * (square / Interval.of(2)).exp()
    return whole - (total + Interval(-tail, tail))


def mills(x):
    """R falls, so its ends are those of the interval, swapped."""
    return Interval(mills_at(x.high).low, mills_at(x.low).high)


def normal_density(x):
    return (Interval(Decimal(0), Decimal(0)) - x * x / Interval.of(2)).exp() / (pi() * Interval.of(2)).sqrt()


def gdp_delta(total, epsilon):
    """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), with mu^2 = total.

    With a = epsilon/mu - mu/2 and b = a + mu, e^epsilon phi(b) = phi(a): so it is phi(a) (R(a) -
    R(b)), in which nothing overflows. For a far below 0, phi(a) R(a) is 1 - phi(a) R(-a).
    """
    def compute():
        mu = Interval.of(total).sqrt()
        ratio, half = Interval.of(epsilon) / mu, mu / Interval.of(2)
        a, b = ratio - half, ratio + half
        if a.low < -4:
            minus_a = Interval(Decimal(0), Decimal(0)) - a
            return Interval.of(1) - normal_density(a) * (mills(minus_a) + mills(b))
        return normal_density(a) * (mills(a) - mills(b))
    return precisely(compute)


def zcdp_delta(rho, epsilon):
    """The least of e^((a-1)(a rho - epsilon)) (1 - 1/a)^a / (a-1) over a > 1.

    Every a gives a bound that holds. The best one is found in floating point, where a mistake could
    only raise the bound; the bound itself is then enclosed. x is a - 1.
    """
    low, high = -200.0, 200.0
    rho_float, epsilon_float = float(rho), float(epsilon)
    for _ in range(200):
        middle = (low + high) / 2
        x = math.exp(middle)
        slope = 2 * rho_float * x + rho_float - epsilon_float - math.log1p(1 / x)
        low, high = (middle, high) if slope < 0 else (low, middle)
    best = Decimal(math.exp(high))

    def compute():
        x, one = Interval.of(Fraction(best)), Interval.of(1)
        exponent = x * (Interval.of(rho) * (x + one) - Interval.of(epsilon))
        return (exponent - x * (one + one / x).ln() - (one + x).ln()).exp()
    return precisely(compute)


def hidden(sigma, distance):
    """Phi(distance/sigma), as an interval, for a positive distance."""
    x = Interval.of(distance / sigma)
    return Interval.of(1) - normal_density(x) * mills(x)


def threshold_delta(sigma, m, rows):
    """The largest probability with which a value passes that one unit of m rows alone holds.

    That is the maximum over k = 1..m of 1 - Phi((T - (m-k+1) - 1/2)/sigma) Phi((T -
    3/2)/sigma)^(k-1). ln Phi is concave, and so is the logarithm of the product in k: it is least
    at an end, so k = 1 and k = m are enough.
    """
    half = Fraction(1, 2)
    def compute():
        all_in_one = Interval.of(1) - hidden(sigma, rows - m - half)
        apart = (hidden(sigma, rows - 1 - half).ln() * Interval.of(m)).exp()
        one_each = Interval.of(1) - apart
        return Interval(max(all_in_one.low, one_each.low), max(all_in_one.high, one_each.high))
    return precisely(compute)


# --------------------------------------------------------------------- sensitivities and costs

def score_units(score, adjacency, rows):
    """How far one row moves a score, in lattice units: the least and the most that may be charged.

    Where a page gives two bounds, for a binary side and for others, both are returned: the
    certificate does not list the sides of its candidates.
    """
    replace = adjacency == "replace-one"
    fixed = {"total-variation": None if replace else 2, "maximal-joint": 1, "l1-error": 2 if replace else 1,
             "half-l1": 1 if replace else Fraction(1, 2),
             "comparison": 1 if replace else Fraction(1, 2), "excess": 1, "parity": 2 if replace else 1}
    if fixed.get(score) is not None:
        return [(int(fixed[score] * LATTICE),) * 2]
    require(replace, f"the score {shown(score)} is unknown, or has no sensitivity under {adjacency}")
    require(rows is not None, f"the sensitivity of {score} depends on a public number of rows, which is missing")
    n = max(rows, 1)
    if score == "total-variation":
        return [(2 * LATTICE,) * 2, (math.ceil(LATTICE * (3 + Fraction(2, n))),) * 2]
    require(score == "mutual-information", f"unknown score {shown(score)}")
    n = min(n, 2 ** 48)

    def x_log2_x(x):
        return Interval.of(x) * Interval.of(x).ln() / Interval.of(2).ln() if x > 1 else Interval.of(0)

    bounds = []
    for exact in (x_log2_x(n) - x_log2_x(n - 1), x_log2_x(n + 1) - x_log2_x(n - 1) - Interval.of(2)):
        # Logarithms are computed in units of 2^-56, and 8n of them are added; how far they are
        # rounded up beyond that is not fixed by the page, so up to 16n are accepted.
        ends = (Fraction(max(exact.low, Decimal(0))) + Fraction(8 * n, 2 ** 56),
                Fraction(max(exact.high, Decimal(0))) + Fraction(16 * n, 2 ** 56))
        bounds.append(tuple(math.ceil(LATTICE * end) for end in ends))
    return bounds


def check_scores(content, mechanism, event, certificate, name):
    """That of one row, times the heaviest weight, times m. Scores of one release move together."""
    check_keys(content, ("score", "candidates", "heaviest", "rows", "digest"), (), name)
    candidates = integer(content["candidates"], 1, 2 ** 64 - 1, f"{name}: candidates")
    heaviest = integer(content["heaviest"], 1, 2 ** 32 - 1, f"{name}: heaviest")
    hexadecimal(content["digest"], 64, f"{name}: digest")
    rows = content["rows"]
    if certificate.adjacency == "add-remove":
        require(rows is None, f"{name}: the number of rows is private under add-remove, and stated")
    else:
        certificate.note_public_rows(integer(rows, 0, 2 ** 64 - 1, f"{name}: rows"), name)
    length = 1 if mechanism.kind == "exponential" else candidates
    check_shape(event, 10, length, name)
    options = score_units(content["score"], certificate.adjacency, rows)
    factor = heaviest * certificate.m
    for place, (least, most) in enumerate(options):
        ends = [mechanism.sensitivity_of(length * one * factor, length * (one * factor) ** 2) for one in (least, most)]
        if ends[0] <= mechanism.sensitivity <= ends[1]:
            if len(options) > 1 and place == 0:
                certificate.binary_sides += 1
            if heaviest > 1:
                certificate.weights += 1
            return
    raise Refused(f"{name}: sensitivity {mechanism.sensitivity} is not that of {content['score']} under "
                  f"{certificate.adjacency} with {certificate.m} rows per unit")


def check_shape(event, lattice, length, name):
    for key, due in (("lattice_log2", lattice), ("length", length)):
        require(event[key] == due, f"{name}: {key} {shown(event[key])} instead of {due}")


def check_columns(content, name):
    require(type(content) is list and all(type(column) is int and column >= 0 for column in content)
            and content == sorted(set(content)), f"{name}: columns {shown(content)} are not ascending numbers")


class Mechanism:
    """How an answer was randomised, parsed; and its cost."""

    FIELDS = {"rounded-gaussian": ("squared_sensitivity", "sigma"), "discrete-laplace": ("sensitivity", "scale"),
              "exponential": ("sensitivity", "epsilon"),
              "smoothed-histogram": ("cells", "unit", "rows", "drawn", "smoothing"),
              "thresholded-gaussian": ("squared_sensitivity", "sigma", "threshold")}

    def __init__(self, value, name):
        self.kind, content = one_variant(value, f"{name}: mechanism")
        require(self.kind in self.FIELDS, f"{name}: unknown mechanism {shown(self.kind)}")
        check_keys(content, self.FIELDS[self.kind], (), f"{name}: {self.kind}")
        self.content, self.threshold_quanta = content, 0
        if self.kind in ("rounded-gaussian", "thresholded-gaussian"):
            self.sensitivity = integer_text(content["squared_sensitivity"], f"{name}: squared_sensitivity")
            self.scale = dyadic(content["sigma"], -10, 40, f"{name}: sigma")
        elif self.kind == "discrete-laplace":
            self.sensitivity = integer_text(content["sensitivity"], f"{name}: sensitivity")
            self.scale = dyadic(content["scale"], -10, 40, f"{name}: scale")
        elif self.kind == "exponential":
            self.sensitivity = integer_text(content["sensitivity"], f"{name}: sensitivity")
            self.epsilon = dyadic(content["epsilon"], -60, 20, f"{name}: epsilon")
        else:
            for key, low, high in (("cells", 1, 2 ** 64), ("unit", 1, 2 ** 32), ("rows", 0, 2 ** 64),
                                   ("drawn", 1, 2 ** 64), ("smoothing", 1, 2 ** 32)):
                integer(content[key], low, high - 1, f"{name}: {key}")
        if self.kind == "thresholded-gaussian":
            threshold = content["threshold"]
            check_keys(threshold, ("rows", "delta"), (), f"{name}: threshold")
            self.rows = integer(threshold["rows"], 0, 2 ** 48, f"{name}: threshold")
            self.threshold_quanta = quanta(threshold["delta"], f"{name}: delta of the threshold")

    def sensitivity_of(self, l1, squared_l2):
        """The norm that this mechanism is charged by."""
        return squared_l2 if "gaussian" in self.kind else l1

    def cost(self, accounting, name):
        """The least and the most that may be charged, in quanta: apart for logarithms only."""
        if self.kind == "smoothed-histogram":
            return self.cost_of_rows(accounting, name)
        if "gaussian" in self.kind:
            mu_squared = self.sensitivity / self.scale ** 2
            costs = {"gdp": mu_squared, "zcdp": mu_squared / 2}
        elif self.kind == "discrete-laplace":
            epsilon = self.sensitivity / self.scale
            costs = {"pure": epsilon, "zcdp": epsilon ** 2 / 2}
        else:
            # 355/113 is just above pi, so 355/904 is just above pi/8.
            costs = {"pure": self.epsilon, "gdp": Fraction(355, 904) * self.epsilon ** 2, "zcdp": self.epsilon ** 2 / 8}
        require(accounting in costs, f"{name}: {self.kind} has no cost under {accounting}")
        return (math.ceil(costs[accounting] * QUANTA),) * 2

    def cost_of_rows(self, accounting, name):
        require(accounting in ("pure", "zcdp"), f"{name}: drawn rows have no cost under {accounting}")
        cells, unit, rows, drawn, a = (self.content[key] for key in self.FIELDS["smoothed-histogram"])
        # No rows are charged like one.
        ratio = 1 + Fraction(cells * unit * (2 ** 32 - a), max(rows, 1) * a)
        logarithm = precisely(lambda: Interval.of(ratio).ln())
        # The page allows a logarithm that is less than 2^-90 of it too large.
        ends = Fraction(logarithm.low), Fraction(logarithm.high) * (1 + Fraction(1, 2 ** 89))
        costs = [drawn * end if accounting == "pure" else drawn * end ** 2 / 2 for end in ends]
        return tuple(math.ceil(cost * QUANTA) for cost in costs)


# -------------------------------------------------------------------------------- certificate

class Certificate:
    """A certificate, checked step by step. `check_all` adds one line per step to the report."""

    REQUIRED = ("format", "adjacency", "max_contributions", "accounting", "noise", "goal", "epsilon", "delta", "total",
                "events")

    def __init__(self, value):
        self.value, self.public_rows = value, None
        self.binary_sides = self.weights = 0

    def check_all(self, report):
        """Whether all steps hold. A step is not made if one before it fails."""
        steps = (("format", self.check_format), ("noise", self.check_noise), ("events", self.check_events),
                 ("thresholds", self.check_thresholds), ("total", self.check_total), ("guarantee", self.check_claim))
        held = all(report.run(check, step) for check, step in steps)
        if held:
            report.claim = {"epsilon": float(self.epsilon), "delta": float(self.delta), "adjacency": self.adjacency,
                            "max_contributions": self.m, "accounting": self.accounting, "events": len(self.mechanisms)}
            self.list_assumptions(report)
        return held

    def check_format(self):
        value = self.value
        require(type(value) is dict and "format" in value, "not a certificate: no `format`")
        require(type(value["format"]) is int and value["format"] == 1, f"unknown format {shown(value['format'])}")
        check_keys(value, self.REQUIRED, ("ledger", "assumptions"), "certificate")
        for key, known in (("adjacency", ("add-remove", "replace-one")), ("accounting", ("pure", "gdp", "zcdp"))):
            require(value[key] in known, f"unknown {key} {shown(value[key])}")
        self.adjacency, self.accounting = value["adjacency"], value["accounting"]
        self.m = integer(value["max_contributions"], 1, 2 ** 32 - 1, "max_contributions")
        check_keys(value["goal"], ("epsilon", "delta"), (), "goal")
        self.goal = real(value["goal"]["epsilon"], "goal: epsilon"), real(value["goal"]["delta"], "goal: delta")
        require(0 < self.goal[0] <= MAX_EPSILON, "goal: epsilon is not above 0 and at most 10^6")
        require(self.goal[1] < 1, "goal: delta is not below 1")
        self.epsilon, self.delta = real(value["epsilon"], "epsilon"), real(value["delta"], "delta")
        self.total = quanta(value["total"], "total")
        require(type(value["events"]) is list and value["events"], "a certificate without events certifies nothing")
        if "ledger" in value:
            ledger = value["ledger"]
            check_keys(ledger, ("dataset", "job", "head"), ("cap",), "ledger")
            require(type(ledger["dataset"]) is str, "ledger: dataset is not a text")
            hexadecimal(ledger["job"], 32, "ledger: job")
            hexadecimal(ledger["head"], 64, "ledger: head")
            if "cap" in ledger:
                check_keys(ledger["cap"], ("epsilon", "delta"), (), "ledger: cap")
                for key in ("epsilon", "delta"):
                    real(ledger["cap"][key], f"ledger: cap: {key}")
        known = ("multiline-records", "domain-from-data")
        assumptions = value.get("assumptions", [])
        require(type(assumptions) is list and all(one in known for one in assumptions), "unknown assumption")
        return f"1, {self.adjacency}, rows per unit: {self.m}, {self.accounting} accounting"

    def check_noise(self):
        require(self.value["noise"] == "fresh", f"NOT PRIVATE: noise is {shown(self.value['noise'])}, not fresh")
        return "fresh, as stated"

    def check_events(self):
        """Every event: its fields, its neighbours, and the sensitivity that its question has."""
        self.mechanisms, measured = [], False
        for place, event in enumerate(self.value["events"]):
            name = f"event {place}"
            check_keys(event, ("id", "adjacency", "question", "mechanism", "lattice_log2", "length"), (), name)
            require(type(event["id"]) is int and event["id"] == place,
                    f"{name}: its id is {shown(event['id'])}: ids count from 0 without a gap")
            require(event["adjacency"] == self.adjacency, f"{name}: another adjacency, {shown(event['adjacency'])}")
            integer(event["lattice_log2"], 0, 64, f"{name}: lattice_log2")
            integer(event["length"], 0, 2 ** 63, f"{name}: length")
            mechanism = Mechanism(event["mechanism"], name)
            self.check_question(event, mechanism, name)
            learns = bool({"grid", "values"} & set(event["question"]))
            require(not (learns and measured), f"{name}: a column is learned after tables were measured")
            measured = measured or not learns
            self.mechanisms.append(mechanism)
        kinds = [mechanism.kind for mechanism in self.mechanisms]
        counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in Mechanism.FIELDS if kind in kinds)
        return f"{len(kinds)}, each with the sensitivity of its question: {counts}"

    def check_question(self, event, mechanism, name):
        kind, content = one_variant(event["question"], f"{name}: question")
        answers = {"table": ("rounded-gaussian", "discrete-laplace"), "grid": ("rounded-gaussian", "discrete-laplace"),
                   "scores": ("rounded-gaussian", "discrete-laplace", "exponential"), "rows": ("smoothed-histogram",),
                   "values": ("thresholded-gaussian",)}
        require(kind in answers, f"{name}: unknown question {shown(kind)}")
        require(mechanism.kind in answers[kind], f"{name}: {mechanism.kind} does not answer {kind}")
        if kind == "scores":
            return check_scores(content, mechanism, event, self, name)
        if kind == "rows":
            check_columns(content, name)
            require(self.adjacency == "replace-one", f"{name}: drawn rows have no cost under add-remove")
            require(mechanism.content["unit"] == self.m, f"{name}: another unit than max_contributions")
            self.note_public_rows(mechanism.content["rows"], name)
            return check_shape(event, 0, mechanism.content["drawn"], name)
        if kind == "table":
            check_columns(content, name)
        else:
            check_keys(content, ("column", "grid") if kind == "grid" else ("column",), (), f"{name}: {kind}")
            require(type(content["column"]) is str, f"{name}: the column is not a text")
        length = event["length"]
        if kind == "grid":
            grids = ["classes"] + [f"{kind} grid" for kind in ("integer", "number", "date", "datetime", "year")]
            grids += ["date grid, closer", "datetime grid, closer"]
            require(content["grid"] in grids, f"{name}: unknown grid {shown(content['grid'])}")
            if content["grid"] == "classes" and length not in CLASSES:
                length = CLASSES[-1]
        require(kind == "values" or length > 0, f"{name}: no numbers were released")
        check_shape(event, 0, 0 if kind == "values" else length, name)
        # All m rows of a unit may be in one cell; replaced, they leave one and arrive in another.
        moved = 2 if self.adjacency == "replace-one" else 1
        due = mechanism.sensitivity_of(moved * self.m, moved * self.m ** 2)
        require(mechanism.sensitivity == due, f"{name}: sensitivity {mechanism.sensitivity} instead of {due}")

    def note_public_rows(self, rows, name):
        """One table has one number of rows: another in one event would change its Δ."""
        require(self.public_rows in (None, rows), f"{name}: another number of rows than an earlier event")
        self.public_rows = rows

    def check_thresholds(self):
        self.for_thresholds, known, count = 0, {}, 0
        for place, mechanism in enumerate(self.mechanisms):
            if mechanism.kind != "thresholded-gaussian":
                continue
            name, rows, count = f"event {place}", mechanism.rows, count + 1
            require(rows > self.m, f"{name}: a threshold of {rows} rows hides no unit of {self.m}")
            key = mechanism.scale, rows
            if key not in known:
                known[key] = threshold_delta(mechanism.scale, self.m, rows).upper()
            stated = Fraction(mechanism.threshold_quanta, QUANTA)
            require(known[key] <= stated, f"{name}: a threshold of {rows} rows adds {float(known[key]):.6g} to delta, "
                                          f"and {float(stated):.6g} is stated")
            self.for_thresholds += mechanism.threshold_quanta
        if not count:
            return "none"
        return f"{count}, which add {self.for_thresholds / QUANTA:.6g} to delta"

    def check_total(self):
        costs = [mechanism.cost(self.accounting, f"event {place}") for place, mechanism in enumerate(self.mechanisms)]
        least, most = (sum(ends) for ends in zip(*costs))
        require(least <= self.total, f"the events cost {least} quanta, and {self.total} are stated")
        require(self.total <= most, f"the events cost {most} quanta at most, and {self.total} are stated")
        return f"{self.total / QUANTA:.6g}, the sum over the events"

    def check_claim(self):
        """The claim holds, is the one that follows, and is within the goal."""
        require(self.epsilon <= self.goal[0], f"epsilon {float(self.epsilon)} is above the goal, {float(self.goal[0])}")
        due = Fraction(0) if self.accounting == "pure" else self.goal[1]
        require(self.delta == due, f"delta is {float(self.delta)} instead of {float(due)}")
        total = Fraction(self.total, QUANTA)
        if self.accounting == "pure":
            # The smallest float that is not below the total.
            require(total <= self.epsilon, f"epsilon {float(self.epsilon)} is below the total, {float(total)}")
            below = math.nextafter(float(self.epsilon), -math.inf)
            require(total > Fraction(below), "epsilon is larger than the total")
            return f"({float(self.epsilon)}, 0) follows from the events"
        profile = gdp_delta if self.accounting == "gdp" else zcdp_delta
        left = self.delta - Fraction(self.for_thresholds, QUANTA)
        require(left > 0, "the thresholds add more to delta than is claimed")
        reached = profile(total, self.epsilon).upper()
        require(reached <= left, f"at epsilon {float(self.epsilon)} delta is {float(reached):.12g}, "
                                 f"and {float(left):.12g} is left for it")
        # Too large a claim harms nobody, but it is not the certificate of these events. The program
        # may be off by one part in 10^9 of delta and one in 10^12 of epsilon.
        if self.epsilon > 0:
            lower = profile(total, self.epsilon * (1 - Fraction(1, 10 ** 12))).upper()
            require(lower * (1 + Fraction(1, 10 ** 9)) >= left,
                    f"epsilon {float(self.epsilon)} is larger than what follows from the events")
        return f"({float(self.epsilon)}, {float(self.delta)}) follows: delta is {float(reached):.12g} for the noise"

    def list_assumptions(self, report):
        """What the certificate states and nobody can recompute from it."""
        report.not_checked("events", "that they are those that happened rests on the word of whoever ran the program")
        if self.binary_sides:
            report.not_checked("events", f"{self.binary_sides} have the sensitivity of pairs with a binary column")
        if self.weights:
            report.not_checked("events", f"{self.weights} state the largest weight of their candidates")
        for assumption in self.value.get("assumptions", []):
            report.not_checked("assumption", {
                "multiline-records": "the guarantee assumes that every quote of the text files was closed",
                "domain-from-data": "bounds or categories were read off the rows, and are NOT COVERED"}[assumption])


def check_document(value, inner):
    """What `certificate.json` and `declared.json` of a bundle have around the claim."""
    optional = ("method",) if inner == "certificate" else ()
    check_keys(value, ("guarantee", "privacy_unit", "model", inner), optional, "document")
    check_keys(value["model"], ("path", "sha256"), (), "model")
    hexadecimal(value["model"]["sha256"], 64, "model: sha256")
    require(value["model"]["path"] == "model.scumble", "model: another path")
    for key in ("guarantee", "privacy_unit"):
        require(type(value[key]) is str, f"{key} is not a text")


def check_sentence(value, certificate):
    """The sentence for people promises what the certificate proves."""
    sentence, m = value["guarantee"], certificate.m
    match = re.match(r"(?:\(([0-9.e-]+), ([0-9.e-]+)\)|([0-9.e-]+))-differentially private with respect to ", sentence)
    require(match, "the sentence does not begin with the guarantee")
    # As decimals: a fraction of `1e-999999999` would fill the memory.
    epsilon, delta = Decimal(match[1] or match[3]), Decimal(match[2] or 0)
    require(epsilon >= certificate.value["epsilon"], f"the sentence promises epsilon {epsilon}, less than is proved")
    require(delta >= certificate.value["delta"], f"the sentence promises delta {delta}, less than is proved")
    words = {"add-remove": "adding or removing ", "replace-one": "replacing "}[certificate.adjacency]
    require(sentence[match.end():].startswith(words), "the sentence names other neighbours")
    events = len(certificate.mechanisms)
    require(re.search(rf"\b{events} releases?, ", sentence), f"the sentence does not count {events} releases")
    unit = value["privacy_unit"]
    require(unit == "row" or f"all rows of one `{unit}`" in sentence, "the sentence names another unit")
    if unit != "row" or m > 1:
        require(re.search(rf"\b(at most|up to) {m} rows?\b", sentence), f"the sentence does not say {m} rows per unit")
    return "is what the certificate proves"


# --------------------------------------------------------------------------------- model file

class Model:
    """The parts of a model file that say who vouches for it."""

    def __init__(self, data):
        require(data[:8] == b"SCUMBLE\n" and len(data) >= 44, "not a model file")
        self.version = struct.unpack_from("<I", data, 8)[0]
        require(self.version in (3, 4, 5, 6), f"model file of unknown version {self.version}")
        require(hashlib.sha256(data[:-32]).digest() == data[-32:], "the checksum inside the model does not match")
        parts, at, end = [], 12, len(data) - 32
        for _ in range(5):
            require(at + 8 <= end, "a part of the model is missing")
            length = struct.unpack_from("<Q", data, at)[0]
            require(length <= end - at - 8, "a part of the model is longer than the file")
            parts.append(data[at + 8:at + 8 + length])
            at += 8 + length
        require(at == end, "bytes follow the last part of the model")
        header, schema, origin, self.released, _ = parts
        self.header = parse_json(header, "header of the model")
        self.schema = parse_json(schema, "schema of the model")
        self.origin, self.content = one_variant(parse_json(origin, "origin of the model"), "origin of the model")
        require(self.origin in ("measured", "elsewhere"), f"unknown origin {shown(self.origin)}")
        for value, key in ((self.header, "rows"), (self.schema, "fields")):
            require(type(value) is dict and key in value, f"the model has no {key}")
        inner = ("method", "certificate") if self.origin == "measured" else ("privacy", "tables")
        check_keys(self.content, inner, () if self.origin == "measured" else ("rows",), "origin of the model")

    def terms(self):
        """Neighbours, unit and m of the schema, with their defaults."""
        dp = self.schema.get("dp", {})
        require(type(dp) is dict, "the model's schema has no valid `dp`")
        return dp.get("adjacency", "add-remove"), dp.get("privacyUnit", "row"), dp.get("maxContributions", 1)

    def check_against(self, certificate, unit):
        """The schema states the certificate's terms, and the numbers are those of its events."""
        due = certificate.adjacency, unit, certificate.m
        require(self.terms() == due, f"the model's schema says {self.terms()}, and the certificate {due}")
        numbers = sum(event["length"] for event in certificate.value["events"])
        # An event that was dropped from the list leaves its numbers behind.
        require(len(self.released) == 8 * numbers,
                f"the model holds {len(self.released) // 8} released numbers, and its events {numbers}")
        if certificate.public_rows is not None:
            require(self.header["rows"] == certificate.public_rows, "the events state another public number of rows")
        return f"version {self.version}; its terms, and its {numbers} released numbers, are those of the certificate"


def check_model_alone(data, report):
    report.kind = "model"
    model = Model(data)
    report.passed("model", f"version {model.version}, and its own checksum matches")
    if model.origin == "elsewhere":
        return note_declared(report)
    certificate = Certificate(model.content["certificate"])
    if certificate.check_all(report):
        report.run("model", model.check_against, certificate, model.terms()[1])


def note_declared(report):
    report.not_checked("guarantee", "NOT CERTIFIED: an external party drew the noise and declares what it costs")


# ---------------------------------------------------------------------------------- signatures

NAMESPACE = b"scumble-release"
BEGIN, END = b"-----BEGIN SSH SIGNATURE-----\n", b"-----END SSH SIGNATURE-----\n"
P = 2 ** 255 - 19  # The field of Ed25519 (RFC 8032, section 5.1).
ORDER = 2 ** 252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def point_of(encoded):
    """The point of 32 bytes (section 5.1.3), or `None` if they are not its one encoding."""
    y, odd = int.from_bytes(encoded, "little") & (2 ** 255 - 1), encoded[31] >> 7
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * v ** 3 * pow(u * v ** 7, (P - 5) // 8, P) % P
    if v * x * x % P == -u % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if v * x * x % P != u or (x == 0 and odd):
        return None
    x = P - x if x & 1 != odd else x
    return x, y, 1, x * y % P


def add_points(one, other):
    """Section 5.1.4, in extended coordinates."""
    a, b = (one[1] - one[0]) * (other[1] - other[0]), (one[1] + one[0]) * (other[1] + other[0])
    c, d = 2 * one[3] * other[3] * D, 2 * one[2] * other[2]
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply_point(factor, point):
    total = (0, 1, 1, 0)
    for bit in bin(factor)[2:]:
        total = add_points(total, total)
        if bit == "1":
            total = add_points(total, point)
    return total


def ed25519_holds(key, message, signature):
    """Verification by section 5.1.7 without the cofactor: S B = R + k A."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = point_of(key), point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    left = multiply_point(s, point_of((4 * pow(5, -1, P) % P).to_bytes(32, "little")))
    right = add_points(r, multiply_point(k, a))
    return all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def ssh_fields(data, count):
    """Fields of SSH, each a length in four bytes and then its bytes, and nothing after them."""
    fields, at = [], 0
    for _ in range(count):
        require(at + 4 <= len(data), "a field of the signature is missing")
        length = struct.unpack_from(">I", data, at)[0]
        require(length <= len(data) - at - 4, "a field of the signature is longer than the file")
        fields.append(data[at + 4:at + 4 + length])
        at += 4 + length
    require(at == len(data), "bytes follow the signature")
    return fields


def ssh_field(data):
    return struct.pack(">I", len(data)) + data


class Signature:
    """The envelope of an SSH signature (PROTOCOL.sshsig of OpenSSH), in its one valid form."""

    def __init__(self, text):
        require(text.startswith(BEGIN) and text.endswith(END), "not an SSH signature")
        try:
            blob = base64.b64decode(text[len(BEGIN):-len(END)].replace(b"\n", b""), validate=True)
        except (binascii.Error, ValueError):
            raise Refused("not an SSH signature") from None
        letters = base64.b64encode(blob)
        lines = b"".join(letters[at:at + 70] + b"\n" for at in range(0, len(letters), 70))
        require(text == BEGIN + lines + END, "not written as ssh-keygen writes signatures")
        require(blob[:10] == b"SSHSIG\0\0\0\1", "an unknown version of signatures")
        self.key, namespace, reserved, self.hash, self.inner = ssh_fields(blob[10:], 5)
        require(namespace == NAMESPACE, f"made for another purpose than a release: {shown(namespace)}")
        require(not reserved and self.hash in (b"sha512", b"sha256"), "an unknown form of signatures")
        self.kind = self.key[4:4 + int.from_bytes(self.key[:4], "big")].decode("ascii", "replace")
        self.fingerprint = "SHA256:" + base64.b64encode(hashlib.sha256(self.key).digest()).decode().rstrip("=")

    def holds_for(self, text):
        """Whether the key signed this text. Ed25519 only."""
        digest = hashlib.new(self.hash.decode(), text).digest()
        signed = b"SSHSIG" + b"".join(map(ssh_field, (NAMESPACE, b"", self.hash, digest)))
        kind, key = ssh_fields(self.key, 2)
        inner, signature = ssh_fields(self.inner, 2)
        return kind == inner == b"ssh-ed25519" and ed25519_holds(key, signed, signature)


def matches(text, patterns):
    """Pattern lists of OpenSSH: `*` and `?`, separated by commas; `!` excludes."""
    held = False
    for pattern in patterns.split(","):
        bare = pattern[1:] if pattern.startswith("!") else pattern
        expression = "".join({"*": ".*", "?": "."}.get(sign, re.escape(sign)) for sign in bare)
        if re.fullmatch(expression, text, re.DOTALL):
            if pattern.startswith("!"):
                return False
            held = True
    return held


def instant_of(text):
    """`YYYYMMDD`, `YYYYMMDDHHMM` or `YYYYMMDDHHMMSS`, in local time or, with `Z`, in UTC."""
    digits = text[:-1] if text.endswith("Z") else text
    require(re.fullmatch(r"[0-9]{8}([0-9]{4}([0-9]{2})?)?", digits, re.ASCII), f"signers: {shown(text)} is not a time")
    value = datetime.strptime(digits.ljust(14, "0"), "%Y%m%d%H%M%S")
    return value.replace(tzinfo=timezone.utc) if text.endswith("Z") else value.astimezone()


KEY_KINDS = re.compile(r"(ssh-|ecdsa-|sk-)[a-z0-9@.-]+", re.ASCII)


def signer_of(signers, key, now):
    """The names that a file of signers has for a key, or why it has none that counts."""
    problem = "the key is not in the file of signers"
    for line in signers.splitlines():
        # Options may have quoted values with spaces.
        words = re.findall(r'(?:[^\s"]|"[^"]*")+', line)
        if not words or words[0].startswith("#"):
            continue
        place = 1 if len(words) > 1 and KEY_KINDS.fullmatch(words[1]) else 2
        if len(words) < place + 2 or words[place + 1].rstrip("=") != base64.b64encode(key).decode().rstrip("="):
            continue
        options = re.findall(r'([A-Za-z-]+)(?:="([^"]*)")?(?:,|$)', words[1]) if place == 2 else []
        problem = None
        for name, value in options:
            if name == "namespaces":
                refused = not matches(NAMESPACE.decode(), value)
            elif name in ("valid-after", "valid-before"):
                refused = (now < instant_of(value)) if name == "valid-after" else (now >= instant_of(value))
            else:
                refused = True  # `cert-authority`, or something unknown: the key itself does not sign.
            if refused:
                problem = f"the file of signers restricts the key by {shown(name)}"
        if place == 2 and ",".join(f'{name}="{value}"' if value else name for name, value in options) != words[1]:
            problem = "the file of signers has options that this program cannot read"
        if problem is None:
            return words[0].strip('"'), None
    return None, problem


# ------------------------------------------------------------------------------------- bundle

SIGNATURE = "SHA256SUMS.sig"
NAMES = ("README.md", "SHA256SUMS", "certificate.json", "certificate.txt", "croissant.json", "data/synthetic.csv",
         "data/synthetic.parquet", "datapackage.json", "declared.json", "declared.txt", "index.html", "ledger.json",
         "marginals.json", "model.scumble", "model.svg", "quality.json", "registry-entry.yaml", "report.html")
ALWAYS = ("README.md", "croissant.json", "data/synthetic.csv", "data/synthetic.parquet", "datapackage.json",
          "index.html", "model.scumble", "model.svg", "registry-entry.yaml", "report.html")


class Bundle:
    """A folder, read by fixed names only, so that no path leads out of it."""

    def __init__(self, folder, signers=None):
        self.folder, self.signers, self.sums = folder, signers, {}

    def open(self, name):
        """Opens a regular file. A link could name any file, and a pipe would never end."""
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            file = os.fdopen(os.open(os.path.join(self.folder, *name.split("/")), flags), "rb")
        except OSError as error:
            raise Refused(f"{name}: cannot be opened ({error.strerror})") from None
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            file.close()
            raise Refused(f"{name}: not a regular file")
        return file

    def read(self, name, limit=MAX_TEXT):
        with self.open(name) as file:
            data = file.read(limit + 1)
        require(len(data) <= limit, f"{name}: larger than {limit} bytes")
        return data

    def json(self, name):
        return parse_json(self.read(name), name)

    def check_files(self):
        """The list is well-formed, and names exactly the files that are there."""
        text = self.read("SHA256SUMS", MAX_LIST)
        require(text.endswith(b"\n"), "SHA256SUMS does not end with a line feed")
        for line in text[:-1].split(b"\n"):
            match = re.fullmatch(rb"([0-9a-f]{64})  ([A-Za-z0-9./-]+)", line)
            require(match, f"SHA256SUMS has a line that is not a checksum: {shown(line)}")
            name = match[2].decode()
            require(name in NAMES and name != "SHA256SUMS", f"SHA256SUMS lists {shown(name)}, which no bundle has")
            require(name not in self.sums, f"SHA256SUMS lists {name} twice")
            self.sums[name] = match[1].decode()
        require(list(self.sums) == sorted(self.sums), "SHA256SUMS is not sorted")
        there = set()
        for prefix in ("", "data/"):
            with os.scandir(os.path.join(self.folder, prefix)) as entries:
                for entry in entries:
                    name = prefix + entry.name
                    require(not entry.is_symlink(), f"{shown(name)} is a link")
                    if name == "data" and entry.is_dir(follow_symlinks=False):
                        continue
                    require(entry.is_file(follow_symlinks=False), f"{shown(name)} is not a file")
                    require(name in ("SHA256SUMS", SIGNATURE) or name in self.sums, f"{shown(name)} is not listed")
                    there.add(name)
        self.signed = SIGNATURE in there
        missing = sorted(set(self.sums) - there)
        require(not missing, f"listed, but missing: {', '.join(missing)}")
        kind = "declared" if "declared.json" in self.sums else "certificate"
        for name in ALWAYS + (f"{kind}.json", f"{kind}.txt"):
            require(name in self.sums, f"{name} is missing")
        other = "certificate" if kind == "declared" else "declared"
        require(not {f"{other}.json", f"{other}.txt"} & set(self.sums), "both a certificate and a declaration")
        return f"{len(self.sums)}, and no other"

    def check_signature(self, report):
        """Whether the files may be read any further: with signers, one of them must have signed."""
        if self.signers is None and not self.signed:
            return True

        def check():
            require(self.signed, f"there is no {SIGNATURE}: nobody signed this bundle")
            signature = Signature(self.read(SIGNATURE, MAX_LIST))
            if self.signers is None:
                report.not_checked("signature", "because no --signers was given")
                return f"has the right form, and names the key {signature.fingerprint}"
            names, problem = signer_of(self.signers, signature.key, datetime.now(timezone.utc))
            require(names, f"{problem}: {signature.fingerprint}")
            if signature.kind != "ssh-ed25519":
                report.unknown_key = True
                report.not_checked("signature", f"NOT CHECKED: this program cannot check {shown(signature.kind)} keys; use "
                                                "`ssh-keygen -Y verify` or `scumble bundle verify --signers`")
                return f"has the right form, and names the key {signature.fingerprint}"
            require(signature.holds_for(self.read("SHA256SUMS", MAX_LIST)),
                    f"SHA256SUMS is not what the key of {shown(names)} signed")
            return f"of SHA256SUMS is by {shown(names)}, key {signature.fingerprint}"
        return report.run("signature", check)

    def check_ledger(self, certificate):
        """`ledger.json` is about the ledger and the job that the certificate names."""
        state, entry = self.json("ledger.json"), certificate.value.get("ledger")
        require(entry is not None, "the certificate names no ledger")
        check_keys(state, ("dataset", "accounting", "goal", "cap", "spent", "jobs", "head", "job"), (), "ledger")
        require(state["dataset"] == entry["dataset"], "another dataset than in the certificate")
        require(state["goal"] == entry.get("cap", state["goal"]), "another cap than in the certificate")
        require(state["accounting"] in ("pure", "gdp", "zcdp"), f"unknown accounting {shown(state['accounting'])}")
        cap, spent = quanta(state["cap"], "cap"), quanta(state["spent"], "spent")
        require(spent <= cap, "more is spent than the cap")
        for key in ("head", "job"):
            check_keys(state[key], ("record", "hash"), (), key)
            integer(state[key]["record"], 1, 2 ** 63, f"{key}: record")
            hexadecimal(state[key]["hash"], 64, f"{key}: hash")
        head, job = state["head"], state["job"]
        require(job["hash"] == entry["head"], "another job than in the certificate")
        require(job["record"] < head["record"] or job == head, "the job comes after the head")
        integer(state["jobs"], 1, head["record"], "jobs")
        return f"the job of the certificate is record {job['record']}; the head is {head['record']}:{head['hash']}"

    def check_sums(self):
        for name, listed in self.sums.items():
            digest = hashlib.sha256()
            with self.open(name) as file:
                for block in iter(lambda: file.read(1 << 20), b""):
                    digest.update(block)
            require(digest.hexdigest() == listed, f"{name} was changed: its checksum differs")
        return "match every file"

    def check_package(self, model):
        """`datapackage.json` describes these files, by size, checksum and columns."""
        package = self.json("datapackage.json")
        require(type(package) is dict and type(package.get("resources")) is list, "no resources")
        schemas = {}
        for resource in package["resources"]:
            require(type(resource) is dict, "a resource is not an object")
            path = resource.get("path")
            require(path in ("data/synthetic.csv", "data/synthetic.parquet") and path not in schemas,
                    f"a resource of another path: {shown(path)}")
            require(resource.get("hash") == f"sha256:{self.sums[path]}", f"{path}: another hash")
            with self.open(path) as file:
                require(resource.get("bytes") == os.fstat(file.fileno()).st_size, f"{path}: another size")
            schemas[path] = resource.get("schema")
        require(len(schemas) == 2, "not both files of rows are described")
        self.schema = schemas["data/synthetic.csv"]
        # Parquet has types of its own; the names must agree at least.
        self.fields = fields_of(self.schema)
        require(names_of(schemas["data/synthetic.parquet"]) == names_of(self.schema), "the two resources differ")
        require(names_of(model.schema) == names_of(self.schema), "the columns are not those of the model's schema")
        made = package.get("scumble")
        require(type(made) is dict and type(made.get("release")) is dict, "it does not record how the bundle was made")
        self.has_rules = bool(model.schema.get("dp", {}).get("rules"))
        self.rows = integer(made["release"].get("rows"), 0, 2 ** 63, "rows")
        return f"describes both files of rows, {len(self.fields)} columns, {self.rows} rows"

    def check_promises(self, certificate, unit):
        """No document promises more than the certificate proves."""
        epsilon, delta = certificate.value["epsilon"], certificate.value["delta"]
        pair = r"\(([0-9][0-9.e-]*),\s+([0-9][0-9.e-]*)\)-differential"
        pure = r"(?<![0-9.e,-])([0-9][0-9.e-]*)()-differential"
        found = 0
        for name in self.sums:
            if not name.endswith((".md", ".html", ".txt", ".json", ".yaml", ".svg")):
                continue
            text = self.read(name).decode("utf-8", "replace")
            for match in [*re.finditer(pair, text), *re.finditer(pure, text)]:
                found += 1
                require(Decimal(match[1]) >= epsilon or Decimal(match[2] or 0) > delta,
                        f"{name} promises {match[0]}: more than the certificate proves")
        entry = self.read("registry-entry.yaml").decode("utf-8", "replace")
        for key, least in (("epsilon", epsilon), ("delta", delta)):
            stated = re.findall(rf"^ +{key}: ([0-9.e-]+)$", entry, re.MULTILINE)
            require(len(stated) == 1 or key == "delta" and not delta, f"registry-entry.yaml: no single {key}")
            require(all(Decimal(one) >= least for one in stated), f"registry-entry.yaml promises {key} {stated}")
        if "marginals.json" in self.sums:
            stated = self.json("marginals.json").get("privacy", {})
            due = {"epsilon": certificate.value["epsilon"], "delta": certificate.value["delta"], "unit": unit,
                   "adjacency": certificate.adjacency, "max_contributions": certificate.m}
            for key, value in due.items():
                require(stated.get(key) == value, f"marginals.json states another {key}")
        return f"{found} statements of the other documents promise no more than the certificate"

    def check_all(self, report):
        report.kind = "bundle"
        if not (report.run("files", self.check_files) and self.check_signature(report)
                and report.run("checksums", self.check_sums)):
            return
        holder = {}

        def check_model():
            holder["model"] = Model(self.read("model.scumble", MAX_MODEL))
            return f"version {holder['model'].version}, and its own checksum matches"

        if not report.run("model.scumble", check_model):
            return
        model = holder["model"]
        declared = "declared.json" in self.sums
        name, inner = ("declared.json", "declared") if declared else ("certificate.json", "certificate")

        def check_outer():
            value = holder["document"] = self.json(name)
            check_document(value, inner)
            require((model.origin == "elsewhere") == declared, "the model has another origin")
            require(value["model"]["sha256"] == self.sums["model.scumble"], "it belongs to another model file")
            held = model.content["privacy" if declared else "certificate"]
            require(value[inner] == held, "it is not what the model holds")
            if not declared:
                require(value.get("method") == model.content["method"], "it names another method than the model")
            require(value["privacy_unit"] == model.terms()[1], "it names another unit than the model's schema")
            return "belongs to the model file, and is equal to what the model holds"

        if report.run(name, check_outer):
            document = holder["document"]
            if declared:
                note_declared(report)
            else:
                certificate = Certificate(document["certificate"])
                if certificate.check_all(report):
                    unit = document["privacy_unit"]
                    report.run("model", model.check_against, certificate, unit)
                    report.run("sentence", check_sentence, document, certificate)
                    report.run("promises", self.check_promises, certificate, unit)
                    if "ledger.json" in self.sums:
                        report.run("ledger.json", self.check_ledger, certificate)
        if report.run("datapackage.json", self.check_package, model):
            report.run("values", check_values, self, report)
        if "quality.json" in self.sums:
            report.not_checked("quality.json", "only its checksum: its figures are not computed from the released numbers")
        report.not_checked("data/synthetic.parquet", "only its checksum and its size: it is not read")
        report.not_checked("rows", "that the model draws these rows; `scumble bundle verify` draws them again")


# ------------------------------------------------------------------------------- values of CSV

def fields_of(schema):
    require(type(schema) is dict and type(schema.get("fields")) is list and schema["fields"], "a schema without fields")
    for field in schema["fields"]:
        require(type(field) is dict and type(field.get("name")) is str, "a field without a name")
    return schema["fields"]


def names_of(schema):
    return [(field["name"], field.get("type")) for field in fields_of(schema)]


INSTANT = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2})?)(\.[0-9]{1,9})?)?"
                     r"(Z|[+-][0-9]{2}:[0-9]{2})?", re.ASCII)


def parse_instant(text):
    """ISO 8601, as a datetime; with a zone, in UTC."""
    match = INSTANT.fullmatch(text)
    if not match:
        raise ValueError
    clock = match[2] or "00:00"
    value = datetime.fromisoformat(f"{match[1]}T{clock if len(clock) == 8 else clock + ':00'}")
    value += timedelta(microseconds=int((match[3] or ".")[1:7].ljust(6, "0")))
    if match[4]:
        sign = -1 if match[4][0] == "-" else 1
        hours, minutes = (0, 0) if match[4] == "Z" else map(int, match[4][1:].split(":"))
        zone = timezone(sign * timedelta(hours=hours, minutes=minutes))
        return value.replace(tzinfo=zone)
    return value


def parse_date(text):
    # `fromisoformat` of later versions of Python reads more than this.
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII):
        raise ValueError
    return date.fromisoformat(text)


def parse_time(text):
    """A time of day in ISO 8601, as the time since midnight; the end of the day as 24:00."""
    match = re.fullmatch(r"([0-9]{1,2}):([0-9]{2})(?::([0-9]{2})(\.[0-9]{1,9})?)?", text, re.ASCII)
    if not match:
        raise ValueError
    micros = int((match[4] or ".")[1:7].ljust(6, "0"))
    since = timedelta(hours=int(match[1]), minutes=int(match[2]), seconds=int(match[3] or 0), microseconds=micros)
    if int(match[2]) > 59 or int(match[3] or 0) > 59 or since > timedelta(days=1):
        raise ValueError
    return since


def parse_number(text):
    if not re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?", text, re.ASCII):
        raise ValueError
    return Decimal(text)


def parse_integer(text):
    if not re.fullmatch(r"-?(0|[1-9][0-9]{0,18})", text, re.ASCII):
        raise ValueError
    return Decimal(text)


def parser_of(field):
    """The function from text to a comparable value, which raises for others; `None` for text."""
    kind, pattern = field.get("type"), field.get("format")
    if kind in ("date", "datetime", "time") and pattern is not None:
        # Names of months and halves of the day are English: this program sets no locale.
        require(type(pattern) is str and not re.search(r"%[^YmdHMSyjfbBIpT%]", pattern),
                f"column {shown(field['name'])}: the format {shown(pattern)} is unknown to this program")

        def by_format(text):
            value = datetime.strptime(text, pattern.replace("%T", "%H:%M:%S"))
            if kind == "time":
                return value - datetime.combine(value.date(), datetime.min.time())
            return value.date() if kind == "date" else value
        return by_format
    parsers = {"integer": parse_integer, "year": parse_integer, "number": parse_number, "string": None,
               "boolean": {"true": True, "false": False}.__getitem__, "date": parse_date,
               "datetime": parse_instant, "time": parse_time}
    require(kind in parsers, f"column {shown(field['name'])}: unknown type {shown(kind)}")
    return parsers[kind]


def as_text(value):
    """A value of the schema as text: numbers as they are written there."""
    return str(value).lower() if type(value) is bool else str(value)


def checker_of(field, table_missing):
    """A function from text to whether the field allows it, whatever the row."""
    name, parse = field["name"], parser_of(field)
    constraints, dp = field.get("constraints", {}), field.get("dp", {})
    bins = dp.get("bins", {})
    listed = field.get("missingValues", table_missing)
    missing = {entry["value"] if type(entry) is dict else entry for entry in listed}
    required = constraints.get("required", False)

    def value_of(bound):
        try:
            return parse(as_text(bound))
        except ValueError:
            # Bounds may be written in ISO 8601 although the column has a format.
            if field["type"] == "time":
                return parse_time(as_text(bound))
            instant = parse_instant(as_text(bound))
            return instant.date() if field["type"] == "date" else instant

    enum = constraints.get("enum")
    allowed = None if enum is None else set(enum) if parse is None else {value_of(one) for one in enum}
    made = "generate" in dp or "derive" in dp
    require(parse is not None or allowed is not None or made, f"column {shown(name)}: no categories")
    edges = bins.get("edges", [])
    low, high = constraints.get("minimum"), constraints.get("maximum")
    if edges:
        low, high = edges[0], edges[-1]
    if "topCode" in bins:
        high = bins["topCode"]
    low, high = (None if bound is None or enum is not None else value_of(bound) for bound in (low, high))
    ordered = field["type"] in ("integer", "number", "date", "datetime", "year")
    require(not ordered or allowed is not None or made or None not in (low, high),
            f"column {shown(name)}: no bounds")
    step = Decimal(10) ** -dp["decimals"] if "decimals" in dp else Decimal(dp["step"]) if "step" in dp else None
    exactly = Context(prec=100)
    points = {value_of(point) for point in bins.get("points", [])}
    generated = generator_of(dp["generate"]) if "generate" in dp else None

    def check(text):
        if text in missing:
            return not required
        if generated is not None and not generated(text):
            return False
        if parse is None:
            return allowed is None or text in allowed
        try:
            value = parse(text)
        except (ValueError, KeyError, OverflowError):
            return False
        if allowed is not None:
            return value in allowed
        if (low is not None and value < low) or (high is not None and value > high):
            return False
        return step is None or value in points or exactly.remainder(value, step) == 0
    return check


def generator_of(rule):
    """A function from text to whether a made-up column may hold it."""
    if "pattern" in rule:
        parts = {"#": "[0-9]", "@": "[A-Z]"}
        pattern = re.compile("".join(parts.get(sign, re.escape(sign)) for sign in rule["pattern"]), re.ASCII)
        return lambda text: pattern.fullmatch(text) is not None
    if "constant" in rule:
        return lambda text: text == as_text(rule["constant"])
    require("sequence" in rule, f"unknown way to make up a column: {shown(rule)}")
    return lambda text: True


def check_values(bundle, report):
    """Every value of the CSV file is one that the Table Schema of `datapackage.json` allows."""
    fields = bundle.fields
    names = [field["name"] for field in fields]
    table_missing = bundle.schema.get("missingValues", [""])
    checkers = [checker_of(field, table_missing) for field in fields]
    rules = [field.get("dp", {}).get("generate", {}) for field in fields]
    sequences = [(place, rule["sequence"].get("from", 1)) for place, rule in enumerate(rules) if "sequence" in rule]
    unique = {place: set() for place, rule in enumerate(rules) if rule.get("unique")}
    if any("derive" in field.get("dp", {}) for field in fields):
        report.not_checked("values", "derived columns are not computed again; only their types are checked")
    if bundle.has_rules:
        report.not_checked("rules", "the rules between columns are not checked")
    # Columns have few different values; what was found once is remembered.
    known = [{} for _ in fields]
    rows = 0
    csv.field_size_limit(2 ** 24)
    for number, record in enumerate(records_of(bundle)):
        if number == 0:
            require(record == names, "the header is not the list of columns")
            continue
        rows += 1
        require(len(record) == len(names), f"row {rows} has {len(record)} values instead of {len(names)}")
        for place, text in enumerate(record):
            fits = known[place].get(text)
            if fits is None:
                fits = checkers[place](text)
                if len(known[place]) < 100_000:
                    known[place][text] = fits
            require(fits, f"row {rows}, column {shown(names[place])}: {shown(text)} is not allowed by the schema")
        for place, first in sequences:
            require(record[place] == str(first + rows - 1), f"row {rows}: {shown(names[place])} is not its number")
        for place, seen in unique.items():
            require(record[place] not in seen, f"row {rows}, column {shown(names[place])}: a value occurs twice")
            seen.add(record[place])
    require(rows == bundle.rows, f"{rows} rows instead of the {bundle.rows} that datapackage.json states")
    return f"{rows} rows, and every value is one that the schema allows"


def records_of(bundle):
    """The records of the CSV file. Text that is not UTF-8 is refused, and so are stray quotes."""
    with bundle.open("data/synthetic.csv") as file:
        def lines():
            for line in file:
                try:
                    yield line.decode("utf-8")
                except UnicodeDecodeError:
                    raise Refused("data/synthetic.csv is not UTF-8") from None
        width = len(bundle.fields)
        for record in csv.reader(lines(), strict=True):
            # A missing value in a table of one column is an empty line.
            yield record if record or width != 1 else [""]


# --------------------------------------------------------------------------------------- main

def read_signers(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read(MAX_TEXT)
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{path}: {error}") from None


def check_path(path, signers=None):
    """Checks what is at a path, and returns the report. `signers` is the text of a file of signers."""
    report = Report(path)
    if signers is not None and not os.path.isdir(path):
        raise Unreadable("only a bundle is signed")
    if os.path.isdir(path):
        if not os.path.lexists(os.path.join(path, "SHA256SUMS")):
            raise Unreadable("a folder without SHA256SUMS is no bundle")
        try:
            Bundle(path, signers).check_all(report)
        except OSError as error:
            raise Unreadable(str(error)) from None
        return report
    try:
        with open(path, "rb") as file:
            data = file.read(8)
            data += file.read(MAX_MODEL if data == b"SCUMBLE\n" else MAX_TEXT)
    except OSError as error:
        raise Unreadable(str(error)) from None
    try:
        check_data(data, report)
    except Refused as refused:
        report.add("file", "failed", str(refused))
    return report


def check_data(data, report):
    """A certificate with or without what a bundle has around it, or a model file."""
    if data.startswith(b"SCUMBLE\n"):
        return check_model_alone(data, report)
    try:
        json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Unreadable("neither a folder, nor JSON, nor a model file") from None
    value = parse_json(data, "certificate")
    require(type(value) is dict, "not a certificate")
    report.kind = "certificate"
    if "declared" in value:
        check_document(value, "declared")
        return note_declared(report)
    if "certificate" not in value:
        return Certificate(value).check_all(report)
    check_document(value, "certificate")
    certificate = Certificate(value["certificate"])
    if certificate.check_all(report):
        report.run("sentence", check_sentence, value, certificate)
        report.not_checked("model", "the model that it names is not part of this file")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", metavar="PATH", help="bundle folder, certificate.json or model file")
    parser.add_argument("--signers", metavar="FILE", help="names and public keys (allowed_signers): one must have signed")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args(arguments)
    try:
        report = check_path(options.path, read_signers(options.signers) if options.signers else None)
    except Unreadable as error:
        print(json.dumps({"path": options.path, "error": str(error)}) if options.json else f"error: {error}",
              file=sys.stdout if options.json else sys.stderr)
        return 2
    if options.json:
        print(json.dumps(report.as_json(), indent=2))
    else:
        words = {"passed": "ok", "failed": "FAILED", "not-checked": "not checked"}
        for check in report.checks:
            print(f"{words[check['outcome']]:<12} {check['check']:<22} {check['text']}")
        if not report.holds():
            print("FAILED: do not rely on this release")
        elif report.unknown_key:
            print("the signature was NOT CHECKED; every other check holds")
        elif report.claim is None:
            print("every check holds, and no guarantee was certified")
        else:
            print("every check holds")
    return 1 if not report.holds() else 2 if report.unknown_key else 0


if __name__ == "__main__":
    sys.exit(main())
