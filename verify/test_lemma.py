"""Tests of the proof about selections: its intervals, its boxes, and the lemma on real selections.

    python3 -m unittest discover --start-directory verify

SCUMBLE_LEMMA_CASES is the number of random mechanisms, by default 2,000: 200,000 take a minute.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pathlib
import random
import re
import sys
import unittest
from decimal import Decimal, localcontext
from fractions import Fraction
from statistics import NormalDist
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import lemma  # noqa: E402
import scumble_verify as verifier  # noqa: E402

CASES = int(os.environ.get("SCUMBLE_LEMMA_CASES", "2000"))
PAGE = pathlib.Path(__file__).resolve().parent.parent / "docs/reference/proofs/selection-lemma.md"
PI_EIGHTHS = Fraction(lemma.PI.low, 8 * lemma.ONE)
NORMAL = NormalDist()
POINTS = [Fraction(n, 16) for n in (0, 1, 5, 16, 23, 32, 47, 63, 64, 65, 96, 104)]


def units(number: float | Fraction) -> int:
    """A binary fraction in units of the intervals, exactly."""
    scaled = Fraction(number) * lemma.ONE
    if scaled.denominator != 1:
        raise ValueError("not a multiple of the unit")
    return scaled.numerator


def at(number: float | Fraction) -> lemma.Interval:
    """The interval of one binary fraction."""
    return lemma.Interval(units(number), units(number))


class Intervals(unittest.TestCase):
    """Every function contains what another formula gives with 90 digits, and is narrow."""

    def assert_encloses(self, interval: lemma.Interval, exact: Decimal, error: float = 1e-80,
                        width: float = 1e-60) -> None:
        """Checks that the interval is narrow and contains a number that is known up to a relative error."""
        with localcontext() as context:
            context.prec = 120
            low, high = Decimal(interval.low) / lemma.ONE, Decimal(interval.high) / lemma.ONE
            known = (abs(exact) + 1) * Decimal(error)
            self.assertTrue(low - known <= exact <= high + known, f"{exact} is not from {low} to {high}")
            self.assertLess(high - low, width)

    def test_arithmetic_contains_the_exact_fraction(self):
        rng = random.Random(1)
        for _ in range(2000):
            a, b = (Fraction(rng.randint(-10 ** 6, 10 ** 6), rng.randint(1, 10 ** 6)) for _ in range(2))
            x, y, n = lemma.Interval.of(a), lemma.Interval.of(b), rng.randint(1, 1000)
            pairs = [(x + y, a + b), (x - y, a - b), (-x, -a), (x * y, a * b), (x.over(n), a / n), (x.times(n), a * n)]
            if y.low > 0:
                pairs.append((x / y, a / b))
            for interval, exact in pairs:
                self.assertTrue(interval.low <= exact * lemma.ONE <= interval.high)
                self.assertLessEqual(interval.high - interval.low, 10 ** 15)

    def test_wide_intervals_contain_all_products_and_quotients(self):
        rng = random.Random(2)
        for _ in range(500):
            ends = [sorted((rng.randint(-9, 9), rng.randint(-9, 9))) for _ in range(2)]
            x, y = (lemma.Interval(low * lemma.ONE, high * lemma.ONE) for low, high in ends)
            for a in range(ends[0][0], ends[0][1] + 1):
                for b in range(ends[1][0], ends[1][1] + 1):
                    product = x * y
                    self.assertTrue(product.low <= a * b * lemma.ONE <= product.high)
                    if y.low > 0:
                        quotient = x / y
                        self.assertTrue(quotient.low <= Fraction(a, b) * lemma.ONE <= quotient.high)

    def test_a_divisor_that_may_be_zero_is_refused(self):
        for low in (-1, 0):
            with self.assertRaises(ZeroDivisionError):
                at(1) / lemma.Interval(low, 5)

    def test_exponentials_logarithms_and_roots(self):
        with localcontext() as context:
            context.prec = 90
            for x in (Fraction(n, 64) for n in (0, 1, 31, 32, 33, 64, 100, 640, 3000)):
                number = Decimal(x.numerator) / Decimal(x.denominator)
                self.assert_encloses(lemma.exp_of_minus(at(x)), (-number).exp())
                self.assert_encloses(lemma.sqrt(at(x)), number.sqrt(), width=1e-38 if x == 0 else 1e-60)
            for x in (Fraction(1, 2 ** 40), Fraction(1, 3), Fraction(3, 4), Fraction(1), Fraction(10 ** 9)):
                number = Decimal(x.numerator) / Decimal(x.denominator)
                self.assert_encloses(lemma.ln(lemma.Interval.of(x)), number.ln())
            self.assert_encloses(lemma.LN_2, Decimal(2).ln())

    def test_pi(self):
        digits = "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803"
        self.assert_encloses(lemma.PI, Decimal(digits))

    def test_the_normal_distribution_agrees_with_the_continued_fraction_of_the_verifier(self):
        verifier.Interval.set_digits(90)
        try:
            for x in POINTS:
                point = verifier.Interval.of(x)
                density = verifier.normal_density(point)
                tail = density * verifier.mills(point)
                with localcontext() as context:
                    context.prec = 90
                    error = float(tail.high - tail.low) + 1e-80
                    self.assertLess(error, 1e-50)
                    self.assert_encloses(lemma.density(units(x)), density.low)
                    self.assert_encloses(lemma.above_half(units(x)), Decimal("0.5") - tail.low, error)
                    odds, error = ((1 - tail.low) / tail.low).ln(), 2 * error / float(tail.low)
                    self.assert_encloses(lemma.log_odds(units(x)), odds, error, 1e-40)
                    self.assert_encloses(lemma.log_odds(units(-x)), -odds, error, 1e-40)
        finally:
            verifier.Interval.set_digits(40)

    def test_a_slope_over_a_range_contains_the_slopes_within(self):
        rng = random.Random(3)
        for _ in range(200):
            low, high = sorted(Fraction(rng.randint(-6 * 1024, 6 * 1024), 1024) for _ in range(2))
            enclosed = lemma.slope(units(low), units(high))
            for part in range(5):
                x = low + (high - low) * part / 4
                slope = lemma.slope(units(x), units(x))
                self.assertTrue(enclosed.low <= slope.low and slope.high <= enclosed.high)
                # Against the density over both probabilities, in floats.
                tail = math.erfc(abs(x) / math.sqrt(2)) / 2
                self.assertAlmostEqual(slope.low / lemma.ONE * tail * (1 - tail) / NORMAL.pdf(float(x)), 1, delta=1e-12)


class Proofs(unittest.TestCase):
    """The proof holds for what is charged, and fails for what is less."""

    def test_the_cost_is_that_of_the_second_verifier(self):
        event = {"exponential": {"sensitivity": "1", "epsilon": f"{2 ** 47}/2^47"}}
        charged, _ = verifier.Mechanism(event, "test").cost("gdp", "test")
        self.assertEqual(charged, math.ceil(lemma.CHARGED * verifier.QUANTA))
        self.assertGreater(lemma.CHARGED * 8 * lemma.ONE, lemma.PI.high)

    def test_the_slopes_of_a_box_contain_difference_quotients_within(self):
        rng, cost, tiny = random.Random(7), lemma.Cost(lemma.CHARGED), Fraction(1, 2 ** 60)
        for _ in range(100):
            epsilon, z, wide, high = (Fraction(rng.randint(1, 320), 64) for _ in range(4))
            for_epsilon, for_z = cost.slopes(lemma.Box(*map(units, (epsilon, epsilon + wide, z, z + high))))
            # In every corner, where the slopes are the most different.
            for e, x in ((epsilon, z), (epsilon + wide, z), (epsilon, z + high), (epsilon + wide, z + high)):
                here = cost.difference(units(e), units(x))
                for point, enclosed in (((e + tiny, x), for_epsilon), ((e, x + tiny), for_z)):
                    quotient = Fraction((cost.difference(*map(units, point)) - here).low, units(tiny))
                    self.assertTrue(enclosed.low / lemma.ONE - 1e-9 <= quotient <= enclosed.high / lemma.ONE + 1e-9)

    def test_no_margin_is_above_the_difference_in_its_box(self):
        rng, cost, proven = random.Random(4), lemma.Cost(lemma.CHARGED), 0
        for _ in range(400):
            side = Fraction(1, 2 ** rng.randint(1, 8))
            epsilon, z = Fraction(rng.randint(1, 640), 64), Fraction(rng.randint(0, 320), 64)
            box = lemma.Box(*map(units, (epsilon, epsilon + side, z, z + side)))
            margin = max(cost.margin_by_slope(box), cost.margin_by_centre(box))
            if margin <= 0:
                continue
            proven += 1
            for _ in range(8):
                epsilon_within, z_within = (least + side * Fraction(rng.randint(0, 8), 8) for least in (epsilon, z))
                difference = cost.difference(units(epsilon_within), units(z_within))
                self.assertGreaterEqual(difference.low, margin * epsilon_within)
        self.assertGreater(proven, 100)

    def test_the_cost_that_is_charged_is_proven_for_small_epsilon(self):
        proof = lemma.Cost(lemma.CHARGED).prove(lemma.rectangle(1, 1))
        self.assertEqual(proof.missing_area, 0)
        self.assertGreater(proof.least_margin, 0)
        self.assertGreater(min(proof.by_slope, proof.by_centre), 10)

    def test_lower_costs_are_refuted(self):
        # The last one is the cost of a selection under zCDP, as mu^2.
        for share in (1 - Fraction(1, 10 ** 7), Fraction(999, 1000), Fraction(9, 10), Fraction(1, 4) / PI_EIGHTHS):
            with self.assertRaises(lemma.Refuted, msg=float(share)):
                lemma.Cost(PI_EIGHTHS * share).prove(lemma.rectangle(1, 1))

    def test_a_refutation_is_right(self):
        """A selection between two candidates loses more than the refuted cost."""
        share = 0.99
        with self.assertRaises(lemma.Refuted) as raised:
            lemma.Cost(PI_EIGHTHS * Fraction(share)).prove(lemma.rectangle(2, 2))
        epsilon, z = map(float, re.search(r"epsilon (\S+), z (\S+)", str(raised.exception)).groups())
        distance = math.log((1 - NORMAL.cdf(z)) / NORMAL.cdf(z)) / (epsilon / 2)
        here, there = selection([distance, 0.0], epsilon), selection([distance + 1, -1.0], epsilon)
        needed = needed_mu(there, here)
        self.assertGreater(needed, math.sqrt(share * math.pi / 8) * epsilon)
        self.assertLess(needed, math.sqrt(lemma.CHARGED) * epsilon)

    def test_a_gap_between_boxes_is_noticed(self):
        halves = lemma.Box.halves

        def with_a_gap(box: lemma.Box) -> tuple[lemma.Box, lemma.Box]:
            first, second = halves(box)
            return first, second._replace(least_z=second.least_z + (second.largest_z - second.least_z) // 1024)

        with mock.patch.object(lemma.Box, "halves", with_a_gap):
            self.assertGreater(lemma.Cost(lemma.CHARGED).prove(lemma.rectangle(4, 2, 3)).missing_area, 0)

    def test_the_whole_program(self):
        for mode, figures in (("prove", 5), ("tightness", len(lemma.TIGHT_AT) + len(lemma.TOGETHER))):
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed), mock.patch.object(sys, "argv", ["lemma.py", mode]):
                self.assertEqual(lemma.main(), 0, printed.getvalue())
            found = json.loads(printed.getvalue().splitlines()[-1])["figures"]
            self.assertEqual(len(found), figures)
            self.assertEqual({key for each in found for key in each}, {"name", "value", "unit", "bar", "holds"})

    def test_a_cost_that_is_too_low_ends_with_exit_code_1(self):
        printed = io.StringIO()
        too_low = mock.patch.object(lemma, "CHARGED", Fraction(39, 100))
        with contextlib.redirect_stdout(printed), mock.patch.object(sys, "argv", ["lemma.py"]), too_low:
            self.assertEqual(lemma.main(), 1)
        self.assertIn("not proven: D is below zero", printed.getvalue())


class Tightness(unittest.TestCase):
    """How much of the charge is needed."""

    def test_the_needed_share_follows_its_series(self):
        for epsilon in (Fraction(1, 64), Fraction(1, 8), Fraction(1, 2)):
            share, square = lemma.needed_share(epsilon), float(epsilon) ** 2
            self.assertLess(share.high - share.low, lemma.ONE >> 80)
            expected = (1 - (4 - math.pi) / 96 * square) * math.pi / 8 / lemma.CHARGED
            self.assertAlmostEqual(share.low / lemma.ONE, expected, delta=2e-4 * square ** 2)

    def test_one_selection_among_many_is_one_selection(self):
        for epsilon in (Fraction(1, 10), Fraction(2)):
            alone = lemma.needed_share_together(float(epsilon), 1)
            self.assertAlmostEqual(alone, lemma.needed_share(epsilon).low / lemma.ONE, delta=1e-9)

    def test_the_page_shows_what_is_computed(self):
        text = PAGE.read_text(encoding="utf-8")
        row = next(line for line in text.splitlines() if line.startswith("| one selection needs"))
        shown = [Fraction(cell.strip()) for cell in row.split("|")[2:-1]]
        needed = [Fraction(lemma.needed_share(epsilon).low, lemma.ONE) for epsilon in lemma.TIGHT_AT]
        self.assertEqual(shown, [round(share, 6) for share in needed])
        row = next(line for line in text.splitlines() if line.startswith("| together they need"))
        shown = [float(cell) for cell in row.split("|")[2:-1]]
        needed = [lemma.needed_share_together(0.1, selections) for selections in lemma.TOGETHER]
        self.assertEqual(shown, [round(share, 3) for share in needed])


# ---------------------------------------------------------------- the lemma on real selections

Outcomes = list[tuple[float, float]]


def selection(scores: list[float], epsilon: float) -> list[float]:
    """The probabilities of an exponential mechanism for scores of sensitivity 1."""
    most = max(scores)
    weights = [math.exp(epsilon / 2 * (score - most)) for score in scores]
    return [weight / sum(weights) for weight in weights]


def needed_mu(here: list[float], there: list[float]) -> float:
    """The least `mu` of a pair of distributions: that of the worst of its likelihood-ratio tests."""
    order = sorted(range(len(here)), key=lambda outcome: here[outcome] / there[outcome])
    needed = 0.0
    for size in range(1, len(order)):
        # From the less probable side of each table, so that small errors keep their digits.
        missed = math.fsum(here[outcome] for outcome in order[:size])
        false_alarm = math.fsum(there[outcome] for outcome in order[size:])
        if all(1e-12 < error < 1 - 1e-12 for error in (missed, false_alarm)):
            needed = max(needed, -NORMAL.inv_cdf(missed) - NORMAL.inv_cdf(false_alarm))
    return needed


def random_pair(rng: random.Random, epsilon: float) -> Outcomes:
    """A selection on a table and on its neighbour: any scores, moved by at most 1 in any direction."""
    count, spread = rng.choice((2, 2, 3, 4, 8, 30)), rng.choice((0.0, 0.3, 3.0, 30.0))
    scores = [rng.uniform(-spread, spread) for _ in range(count)]
    steps = rng.choice(((-1.0, 1.0), (-1.0, 0.0, 1.0), (-1.0, -0.5, 0.3, 1.0)))
    moved = [score + rng.choice(steps) for score in scores]
    return list(zip(selection(scores, epsilon), selection(moved, epsilon)))


def random_job(rng: random.Random, budget: float, releases: int) -> Outcomes:
    """Selections that follow each other: what is asked, and at what epsilon, depends on the answers."""
    if releases == 0 or budget < 1e-6:
        return [(1.0, 1.0)]
    share = rng.choice((1.0, 0.9, 0.5, rng.random())) if releases > 1 else 1.0
    pair = random_pair(rng, math.sqrt(share * budget / lemma.CHARGED))
    if len(pair) > 4:
        # Some answers are taken together, so that the tree of all answers stays small.
        pair = [tuple(map(math.fsum, zip(*pair[start::3]))) for start in range(3)]
    return [(here * p, there * q) for here, there in pair
            for p, q in random_job(rng, budget * (1 - share), releases - 1)]


class Selections(unittest.TestCase):
    """No selection, alone or in a job that adapts, loses more than is charged."""

    def check(self, pair_and_mu, cases: int, tight: float) -> None:
        """Tries random cases; the worst must also need more than the given share of `mu`."""
        worst = 0.0
        for _ in range(cases):
            pair, mu = pair_and_mu()
            here, there = zip(*pair)
            worst = max(worst, needed_mu(here, there) / mu, needed_mu(there, here) / mu)
            self.assertLessEqual(worst, 1 + 1e-9, f"{pair} at mu {mu}")
        self.assertGreater(worst, tight)

    def test_random_selections(self):
        rng = random.Random(5)

        def one() -> tuple[Outcomes, float]:
            epsilon = 10 ** rng.uniform(-2, 1.2)
            return random_pair(rng, epsilon), math.sqrt(lemma.CHARGED) * epsilon
        self.check(one, CASES, 0.999)

    def test_random_jobs_that_adapt(self):
        rng = random.Random(6)

        def one() -> tuple[Outcomes, float]:
            mu = 10 ** rng.uniform(-1.5, 0.8)
            return random_job(rng, mu ** 2, rng.choice((2, 3, 4))), mu
        self.check(one, CASES // 4, 0.98)


if __name__ == "__main__":
    unittest.main()
