"""Writes a made-up registry of live births, its schema, and criteria for a release of it. Needs nothing but Python.

    births.py FOLDER [--rows 170000] [--seed 2014]

The columns follow the public design of the release of Israel's registry of live births of 2014 (Hod and Canetti, 2024): singletons, with
the month, the mother's age, the parity, the week of gestation, the sex and the weight. We add the father's age and the mode of delivery.
Every row is drawn here, from relations that are known of births in general; no row or count of any registry is used.

The same number of rows and the same seed give the same table.
"""

import argparse
import csv
import math
import random
from pathlib import Path

ROWS, SEED = 170_000, 2014
COLUMNS = ["birth_month", "mother_age", "father_age", "parity", "gestation", "sex", "weight", "delivery"]

# Births of each month, relative to each other: more in late summer.
MONTHS = [0.98, 0.89, 0.97, 0.93, 0.98, 0.98, 1.06, 1.08, 1.06, 1.05, 0.99, 1.01]
# Mean weight of a first girl by week of gestation, in grams, from week 24 on.
WEIGHTS = [640, 730, 830, 940, 1060, 1200, 1350, 1520, 1710, 1920, 2140, 2370, 2600, 2810, 2990, 3140, 3270, 3360, 3420, 3450]
FIRST_WEEK, LAST_WEEK = 24, 43


class Registry:
    """Draws births, one after the other."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    # `random()` is the only number that Python draws alike in all versions, so everything is made of it.
    def chance(self, probability):
        return self.random.random() < probability

    def normal(self, mean, deviation):
        first, second = self.random.random(), self.random.random()
        return mean + deviation * math.sqrt(-2 * math.log(1 - first)) * math.cos(2 * math.pi * second)

    def poisson(self, mean):
        """A number of events, by the product of uniform numbers; for small means."""
        number, product, limit = 0, self.random.random(), math.exp(-mean)
        while product > limit:
            number += 1
            product *= self.random.random()
        return number

    def one_of(self, weights):
        """A place in a list of weights, in proportion to them."""
        left = self.random.random() * sum(weights)
        for place, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return place
        return len(weights) - 1

    def birth(self):
        """A row. Where it breaks a rule of the schema, it is drawn again."""
        while True:
            row = self.draft()
            if is_possible(row):
                return row

    def draft(self):
        # Some mothers have their first child early, and many of them. It is not a column, but relates ages and parity.
        is_large_family = self.chance(0.28)
        mother_age = self.mother_age(is_large_family)
        parity = self.parity(mother_age, is_large_family)
        father_age = self.father_age(mother_age, parity, is_large_family)
        gestation = self.gestation(mother_age, parity)
        sex = "male" if self.chance(0.513) else "female"
        weight = self.weight(gestation, sex, parity)
        delivery = self.delivery(mother_age, parity, gestation, weight)
        return [1 + self.one_of(MONTHS), mother_age, father_age, parity, gestation, sex, weight, delivery]

    def mother_age(self, is_large_family):
        age = self.normal(28.8, 5.6) if is_large_family else self.normal(31.0, 4.9)
        return min(max(round(age), 15), 50)

    def parity(self, mother_age, is_large_family):
        first, pace = (20, 0.36) if is_large_family else (25, 0.14)
        return 1 + min(self.poisson(pace * max(mother_age - first, 0) + 0.08), 14)

    def father_age(self, mother_age, parity, is_large_family):
        """Blank if no father is recorded, which is more frequent for first children."""
        if self.chance(0.05 if parity == 1 and not is_large_family else 0.01):
            return ""
        gap = self.normal(2.2, 2.8) if is_large_family else self.normal(3.1, 4.6)
        return min(max(round(mother_age + gap + 0.02 * (40 - mother_age)), 16), 75)

    def gestation(self, mother_age, parity):
        is_early = self.chance(0.045 + (0.015 if parity == 1 else 0) + (0.03 if mother_age >= 40 else 0))
        week = 36.6 - abs(self.normal(0, 2.6)) if is_early else self.normal(39.5 + (0.15 if parity == 1 else 0), 1.15)
        return min(max(round(week), FIRST_WEEK), LAST_WEEK)

    def weight(self, gestation, sex, parity):
        mean = WEIGHTS[gestation - FIRST_WEEK]
        mean *= (1.037 if sex == "male" else 1.0) * (1 + 0.022 * min(parity - 1, 3))
        return 10 * round(min(max(self.normal(mean, 0.118 * mean), 400), 6000) / 10)

    def delivery(self, mother_age, parity, gestation, weight):
        planned = 0.05 + 0.010 * max(mother_age - 28, 0) + (0.03 if parity > 1 else 0)
        emergency = 0.05 + (0.05 if parity == 1 else 0) + (0.12 if gestation < 37 else 0) + (0.05 if weight >= 4000 else 0)
        instrumental = 0.12 if parity == 1 else 0.02
        weights = [1 - planned - emergency - instrumental, instrumental, planned, emergency]
        return DELIVERIES[self.one_of(weights)]


DELIVERIES = ["spontaneous", "instrumental", "planned caesarean", "emergency caesarean"]


def is_possible(row):
    """The rules of the schema."""
    _, mother_age, _, parity, gestation, _, weight, _ = row
    return not (
        (mother_age < 20 and parity > 3)
        or (mother_age < 23 and parity > 6)
        or (gestation < 29 and weight >= 3000)
        or (gestation < 34 and weight >= 4000)
    )


SCHEMA = """\
# A made-up registry of live births, after the public design of a real one; see reproduce/births.py.
#
# All of this is known without a row: what the form asks for, and up to where the registry distinguishes values. What lies
# beyond the outermost bins counts in them.
title: Registry of live births (made up)
description: Live births of one year, singletons only.
dp:
  privacyUnit: row
  maxContributions: 1   # a row is a mother and her newborn; the registry leaves out a second birth in the same year
  rules:
    - forbid: {mother_age: {below: 20}, parity: {above: 3}}
    - forbid: {mother_age: {below: 23}, parity: {above: 6}}
    - forbid: {gestation: {below: 29}, weight: {from: 3000}}
    - forbid: {gestation: {below: 34}, weight: {from: 4000}}
fields:
  - name: birth_month
    type: integer
    constraints: {required: true, minimum: 1, maximum: 12}
    dp: {source: public}

  - name: mother_age
    type: integer
    description: Age in completed years.
    constraints: {required: true}
    dp: {source: public, bins: {edges: [15, 18, 20, 23, 25, 27, 29, 31, 33, 35, 37, 40, 43, 51]}}

  - name: father_age
    type: integer
    description: Age in completed years; blank if no father is recorded.
    dp: {source: public, bins: {edges: [15, 20, 25, 30, 35, 40, 45, 50, 76]}}

  - name: parity
    type: integer
    description: Number of the mother's live births, with this one; 11 means 11 or more.
    constraints: {required: true, minimum: 1, maximum: 11}
    dp: {source: public}

  - name: gestation
    type: integer
    description: Completed weeks; 28 means 28 or fewer, and 42 means 42 or more.
    constraints: {required: true, minimum: 28, maximum: 42}
    dp: {source: public}

  - name: sex
    type: string
    constraints: {required: true, enum: [female, male]}
    dp: {source: public}

  - name: weight
    type: integer
    description: Weight at birth in grams. Below 2,500 g it is low; bins have an edge there.
    constraints: {required: true}
    dp:
      source: public
      step: 10
      bins: {edges: [1000, 1500, 2000, 2250, 2500, 2750, 3000, 3250, 3500, 3750, 4000, 4250, 4500, 5000]}

  - name: delivery
    type: string
    constraints: {required: true, enum: [spontaneous, instrumental, planned caesarean, emergency caesarean]}
    dp: {source: public}
"""

CRITERIA = """\
# What the rows must keep to be released. The kinds of figures are those of the published release: largest errors of tables, means
# within groups, and a regression. They were agreed upon before any row was read.
confidence: 0.95
criteria:
  # Share of rows in the wrong cell, in the worst of all tables.
  - {tables: 1, statistic: max, atMost: 0.01}
  - {tables: 2, statistic: max, atMost: 0.02}
  - {tables: 3, statistic: max, atMost: 0.05}

  # The tables that policy is made from.
  - {tables: [parity, mother_age], atMost: 0.02}
  - {tables: [gestation, weight], atMost: 0.02}

  # Differences of means: grams, weeks, children.
  - {mean: weight, atMost: 10}
  - {mean: weight, within: {sex: female}, atMost: 20}
  - {mean: weight, within: {sex: male}, atMost: 20}
  - {mean: weight, within: {parity: 1}, atMost: 20}
  - {mean: weight, within: {parity: 5}, atMost: 100}
  - {mean: gestation, atMost: 0.05}
  - {mean: gestation, within: {sex: female}, atMost: 0.1}
  - {mean: gestation, within: {parity: 1}, atMost: 0.1}
  - {mean: parity, within: {sex: female}, atMost: 0.1}

  # A tree that is learned from the synthetic rows predicts the weight of the real newborns, in grams.
  - {regression: weight, atMost: 350}

  # The rules of the schema hold in the registry too, but for a few errors of recording.
  - {rules: all, atMost: 0.001}
"""


def write(folder, rows, seed):
    """Writes the three files."""
    folder.mkdir(parents=True, exist_ok=True)
    registry = Registry(seed)
    with open(folder / "births.csv", "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(COLUMNS)
        lines.writerows(registry.birth() for _ in range(rows))
    (folder / "births.schema.yaml").write_text(SCHEMA, encoding="utf-8")
    (folder / "births.criteria.yaml").write_text(CRITERIA, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description="A made-up registry of live births.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.rows, arguments.seed)


if __name__ == "__main__":
    main()
