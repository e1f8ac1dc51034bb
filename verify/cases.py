"""Right certificates by closed formulas, wrong ones as a forger would make them, and real ones.

The formulas here are not those of `scumble_verify.py`: floats and `erfc` instead of intervals and
continued fractions. A mistake has to be made twice to stay unseen.
"""

import copy
import hashlib
import json
import math
import pathlib
import random
import struct
import subprocess
from fractions import Fraction

QUANTA = 2 ** 96
SCORES = {"add-remove": {"total-variation": 2048, "maximal-joint": 1024, "l1-error": 1024, "half-l1": 512,
                         "excess": 1024, "parity": 1024},
          "replace-one": {"total-variation": 2048, "maximal-joint": 1024, "l1-error": 2048, "half-l1": 1024,
                          "excess": 1024, "parity": 2048}}

# ------------------------------------------------------------------------------ the guarantee


def tail(x):
    return 0.5 * math.erfc(x / math.sqrt(2))


def gdp_profile(mu_squared, epsilon):
    mu = math.sqrt(mu_squared)
    return tail(epsilon / mu - mu / 2) - math.exp(epsilon) * tail(epsilon / mu + mu / 2)


def zcdp_profile(rho, epsilon):
    """Golden-section search for the order, on the logarithm of the bound."""
    def bound(t):
        a = 1 + math.exp(t)
        return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - math.log(a - 1)
    low, high, ratio = -20.0, 40.0, (math.sqrt(5) - 1) / 2
    for _ in range(120):
        first, second = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, second) if bound(first) < bound(second) else (first, high)
    return math.exp(bound((low + high) / 2))


def epsilon_of(accounting, total, delta):
    """The smallest epsilon that holds, rounded up as the pages say."""
    if accounting == "pure":
        epsilon = total / QUANTA
        return epsilon if Fraction(epsilon) >= Fraction(total, QUANTA) else math.nextafter(epsilon, math.inf)
    profile = gdp_profile if accounting == "gdp" else zcdp_profile

    def holds(epsilon):
        return profile(total / QUANTA, epsilon) * (1 + 1e-10) <= delta

    low, high = 0.0, 1.0
    if holds(0.0):
        return 0.0
    while not holds(high):
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    # Three parts in 10^13 for the last bits of `erfc`.
    return high * (1 + 3e-13)


def cost_of(mechanism, accounting):
    """The cost in quanta, rounded up."""
    kind, content = next(iter(mechanism.items()))
    number = {key: fraction(content[key]) for key in ("sigma", "scale", "epsilon") if key in content}
    if "gaussian" in kind:
        cost = Fraction(int(content["squared_sensitivity"])) / number["sigma"] ** 2
        cost = cost / 2 if accounting == "zcdp" else cost
    elif kind == "discrete-laplace":
        cost = int(content["sensitivity"]) / number["scale"]
        cost = cost ** 2 / 2 if accounting == "zcdp" else cost
    elif kind == "exponential":
        epsilon = number["epsilon"]
        cost = {"pure": epsilon, "zcdp": epsilon ** 2 / 8, "gdp": 355 * epsilon ** 2 / 904}[accounting]
    else:
        smoothing = Fraction(content["smoothing"], 2 ** 32)
        ratio = 1 + (1 - smoothing) * content["cells"] * content["unit"] / (max(content["rows"], 1) * smoothing)
        logarithm = ln_above(ratio)
        cost = content["drawn"] * (logarithm if accounting == "pure" else logarithm ** 2 / 2)
    return math.ceil(cost * QUANTA)


def ln_above(ratio):
    """ln r for r > 1, at most 2^-95 of it too large: 2 artanh((r-1)/(r+1)) after halving r."""
    def artanh(x):
        term, total, k = x, Fraction(0), 0
        while term > x / 2 ** 110:
            total += term / (2 * k + 1)
            # Cut to 400 bits, upwards, so that fractions stay small.
            term, k = Fraction(math.ceil(term * x * x * 2 ** 400), 2 ** 400), k + 1
        return 2 * total + x / 2 ** 100
    halvings = max(0, int(ratio).bit_length() - 1)
    ratio = ratio / 2 ** halvings
    return (artanh((ratio - 1) / (ratio + 1)) if ratio > 1 else 0) + halvings * artanh(Fraction(1, 3))


def fraction(text):
    numerator, exponent = text.split("/2^")
    return Fraction(int(numerator), 2 ** int(exponent))


def dyadic(number):
    """`p/2^s` with 48 bits."""
    exponent = 47 - math.floor(math.log2(number))
    numerator = math.ceil(number * 2.0 ** exponent)
    return f"{numerator}/2^{exponent}" if numerator < 2 ** 48 else f"{numerator // 2}/2^{exponent - 1}"


def threshold_delta(sigma, m, rows):
    """Every split of m rows is tried."""
    def ln_hidden(distance):
        return math.log1p(-tail(distance / sigma))
    every = range(1, m + 1)
    return max(-math.expm1(ln_hidden(rows - (m - k + 1) - 0.5) + (k - 1) * ln_hidden(rows - 1.5)) for k in every)


# ------------------------------------------------------------------------- right certificates


def right(rng):
    """A certificate whose every number follows from its events."""
    accounting = rng.choice(["gdp", "gdp", "zcdp", "zcdp", "pure"])
    adjacency, m = rng.choice(["add-remove", "replace-one"]), rng.choice([1, 1, 1, 2, 3, 5, 17])
    terms = accounting, adjacency, m, rng.randrange(0, 10 ** 6)
    delta = 10.0 ** -rng.randint(4, 12)
    learned = [values_event(rng, terms, delta) for _ in range(rng.choice([0, 0, 3]))] if accounting != "pure" else []
    events = learned + [any_event(rng, terms) for _ in range(rng.randint(1, 20))]
    # Columns are learned before anything else is measured.
    events.sort(key=lambda event: not is_of_columns(event))
    for place, event in enumerate(events):
        event["id"] = place
    certificate = {"format": 1, "adjacency": adjacency, "max_contributions": m, "accounting": accounting,
                   "noise": "fresh", "goal": {"epsilon": 0.0, "delta": delta}, "epsilon": 0.0, "delta": 0.0,
                   "total": "", "events": events}
    if rng.random() < 0.2:
        certificate["ledger"] = {"dataset": "people", "job": "0" * 32, "head": "a" * 64,
                                 **({"cap": {"epsilon": 9.0, "delta": delta}} if rng.random() < 0.5 else {})}
    restate(certificate)
    # The goal is a rounder number above, or just what was reached.
    goal = certificate["epsilon"]
    certificate["goal"]["epsilon"] = rng.choice([goal, float(f"{goal * 1.01 + 0.01:.3g}"), goal * 1.5])
    return certificate


def is_of_columns(event):
    return bool({"grid", "values"} & set(event["question"]))


def restate(certificate):
    """Writes total, delta and epsilon that follow from the events."""
    accounting = certificate["accounting"]
    total = sum(cost_of(event["mechanism"], accounting) for event in certificate["events"])
    taken = sum(int(content["threshold"]["delta"].split("/")[0]) for event in certificate["events"]
                for content in event["mechanism"].values() if "threshold" in content)
    goal = certificate["goal"]
    certificate["total"] = f"{total}/2^96"
    certificate["delta"] = 0.0 if accounting == "pure" else goal["delta"]
    left = goal["delta"] - taken / QUANTA
    possible = accounting == "pure" or left > 0
    certificate["epsilon"] = epsilon_of(accounting, total, left) if possible else goal["epsilon"]


def event_of(question, mechanism, terms, lattice, length):
    return {"id": 0, "adjacency": terms[1], "question": question, "mechanism": mechanism, "lattice_log2": lattice,
            "length": length}


def noise_of(rng, terms, l1, squared):
    """Noise of a small cost, so that twenty of them stay moderate."""
    cost = 10.0 ** rng.uniform(-4, -2)
    if terms[0] == "pure" or terms[0] == "zcdp" and rng.random() < 0.3:
        return {"discrete-laplace": {"sensitivity": str(l1), "scale": dyadic(l1 / math.sqrt(cost))}}
    return {"rounded-gaussian": {"squared_sensitivity": str(squared), "sigma": dyadic(math.sqrt(squared / cost))}}


def any_event(rng, terms):
    accounting, adjacency, m, rows = terms
    moved = 2 if adjacency == "replace-one" else 1
    kind = rng.choice(["table", "table", "selection", "scores", "grid", "rows"])
    if kind == "rows" and adjacency == "replace-one" and accounting != "gdp":
        drawn, cells = rng.randint(1, 20), rng.randint(2, 1000)
        smoothing = min(2 ** 32 - 1, int(2 ** 32 * rng.uniform(0.3, 0.99)))
        content = {"cells": cells, "unit": m, "rows": rows, "drawn": drawn, "smoothing": smoothing}
        if drawn * math.log(1 + cells * m / max(rows, 1)) < 0.1:
            return event_of({"rows": [0, 1]}, {"smoothed-histogram": content}, terms, 0, drawn)
    if kind in ("selection", "scores"):
        score, heaviest = rng.choice(sorted(SCORES[adjacency])), rng.choice([1, 1, 2, 7])
        candidates = rng.randint(1, 500)
        one = SCORES[adjacency][score]
        if score == "total-variation" and adjacency == "replace-one" and rng.random() < 0.5:
            one = 3072 + -(-2048 // max(rows, 1))
        one *= heaviest * m
        digest = hashlib.sha256(str(rng.random()).encode()).hexdigest()
        question = {"scores": {"score": score, "candidates": candidates, "heaviest": heaviest,
                               "rows": rows if adjacency == "replace-one" else None, "digest": digest}}
        if kind == "selection":
            epsilon = dyadic(10.0 ** rng.uniform(-3, -1.5))
            return event_of(question, {"exponential": {"sensitivity": str(one), "epsilon": epsilon}}, terms, 10, 1)
        noise = noise_of(rng, terms, one * candidates, one * one * candidates)
        return event_of(question, noise, terms, 10, candidates)
    noise = noise_of(rng, terms, moved * m, moved * m * m)
    if kind == "grid":
        grid = rng.choice(["classes", "number grid", "date grid"])
        question = {"grid": {"column": "age", "grid": grid}}
        return event_of(question, noise, terms, 0, rng.choice([121, 221, 265]) if grid == "classes" else rng.randint(1, 3000))
    columns = sorted(rng.sample(range(12), rng.randint(0, 4)))
    return event_of({"table": columns}, noise, terms, 0, rng.randint(1, 10 ** 5))


def values_event(rng, terms, delta):
    _, adjacency, m, _ = terms
    squared = m * m * (2 if adjacency == "replace-one" else 1)
    sigma = dyadic(math.sqrt(squared) * 10.0 ** rng.uniform(1, 2))
    scale = float(fraction(sigma))
    rows = m + 1
    while threshold_delta(scale, m, rows) > delta / 10:
        rows += max(1, int(scale / 4))
    stated = math.ceil(Fraction(threshold_delta(scale, m, rows) * (1 + 1e-9)) * QUANTA) + 1
    mechanism = {"thresholded-gaussian": {"squared_sensitivity": str(squared), "sigma": sigma,
                                          "threshold": {"rows": rows, "delta": f"{stated}/2^96"}}}
    return event_of({"values": {"column": "town"}}, mechanism, terms, 0, 0)


def variant(rng, certificate):
    """Another right certificate: one release got more noise, and everything follows."""
    certificate = copy.deepcopy(certificate)
    event, key = pick(rng, certificate, "sigma", "scale", where=lambda event: "threshold" not in content_of(event))
    if event:
        content_of(event)[key] = scaled(content_of(event)[key], 1 + 10.0 ** rng.uniform(-6, 0))
        restate(certificate)
    return certificate


# ------------------------------------------------------------------------- wrong certificates


def content_of(event):
    return next(iter(event["mechanism"].values()))


def scaled(text, factor):
    return dyadic(float(fraction(text)) * factor)


def pick(rng, certificate, *keys, where=lambda event: True):
    """An event whose mechanism has one of the keys, and the key; or nothing."""
    found = [(event, key) for event in certificate["events"] for key in keys
             if key in content_of(event) and where(event)]
    return rng.choice(found) if found else (None, None)


def lower_a_scale(rng, c):
    event, key = pick(rng, c, "sigma", "scale")
    if event:
        content_of(event)[key] = scaled(content_of(event)[key], 1 - 10.0 ** rng.uniform(-6, -1))
    return event


def lower_a_scale_and_restate_the_total(rng, c):
    event = lower_a_scale(rng, c)
    if event:
        epsilon, delta = c["epsilon"], c["delta"]
        restate(c)
        changed = c["epsilon"] > epsilon * (1 + 1e-9)
        c["epsilon"], c["delta"] = epsilon, delta
        return changed


def raise_an_epsilon(rng, c):
    event, key = pick(rng, c, "epsilon")
    if event:
        content_of(event)[key] = scaled(content_of(event)[key], 1 + 10.0 ** rng.uniform(-6, -1))
    return event


def drop_an_event(rng, c):
    if len(c["events"]) > 1:
        return c["events"].pop(rng.randrange(len(c["events"])))


def drop_an_event_and_restate(rng, c):
    """All totals follow; only the gap in the ids is left."""
    if len(c["events"]) > 1:
        c["events"].pop(rng.randrange(len(c["events"]) - 1))
        restate(c)
        return c["epsilon"] <= c["goal"]["epsilon"]


def repeat_an_event(rng, c):
    event = copy.deepcopy(rng.choice(c["events"]))
    event["id"] = len(c["events"])
    c["events"].append(event)
    return True


def repeat_an_event_with_its_id(rng, c):
    place = rng.randrange(len(c["events"]))
    c["events"].insert(place, copy.deepcopy(c["events"][place]))
    return True


def swap_two_events(rng, c):
    if len(c["events"]) > 1:
        place = rng.randrange(len(c["events"]) - 1)
        c["events"][place:place + 2] = c["events"][place:place + 2][::-1]
        return True


def change_m(rng, c):
    c["max_contributions"] = max(1, c["max_contributions"] + rng.choice([-1, 1, 2]))
    return c["max_contributions"]


def change_m_to_true(rng, c):
    """`true` is 1 in many a language."""
    if c["max_contributions"] == 1:
        c["max_contributions"] = True
        return True


def other(adjacency):
    return {"add-remove": "replace-one", "replace-one": "add-remove"}[adjacency]


def change_adjacency(rng, c):
    c["adjacency"] = other(c["adjacency"])
    return True


def change_adjacency_everywhere(rng, c):
    c["adjacency"] = other(c["adjacency"])
    for event in c["events"]:
        event["adjacency"] = c["adjacency"]
    # Scores of equal sensitivity and without a number of rows would be right.
    return any("table" in event["question"] or "grid" in event["question"] for event in c["events"])


def change_adjacency_of_an_event(rng, c):
    rng.choice(c["events"])["adjacency"] = other(c["adjacency"])
    return True


def lower_a_threshold(rng, c):
    event, _ = pick(rng, c, "threshold")
    if event:
        content_of(event)["threshold"]["rows"] -= 1
    return event


def lower_the_delta_of_a_threshold(rng, c):
    event, _ = pick(rng, c, "threshold")
    if event:
        threshold = content_of(event)["threshold"]
        threshold["delta"] = f"{int(int(threshold['delta'].split('/')[0]) * (1 - 10.0 ** rng.uniform(-6, -1)))}/2^96"
    return event


def lower_the_delta_of_a_threshold_and_restate(rng, c):
    event = lower_the_delta_of_a_threshold(rng, c)
    if event:
        restate(c)
    return event


def raise_the_delta_of_a_threshold(rng, c):
    """Less is left for the noise than epsilon was computed for."""
    event, _ = pick(rng, c, "threshold")
    if event:
        threshold = content_of(event)["threshold"]
        before = int(threshold["delta"].split("/")[0])
        threshold["delta"] = f"{before * 2}/2^96"
        return before / QUANTA > 1e-6 * c["delta"]


def drop_a_threshold(rng, c):
    event, _ = pick(rng, c, "threshold")
    if event:
        content_of(event).pop("threshold")
        event["mechanism"] = {"rounded-gaussian": content_of(event)}
        restate(c)
    return event


def lower_epsilon(rng, c):
    c["epsilon"] = c["epsilon"] * (1 - 10.0 ** rng.uniform(-8, -2))
    return c["epsilon"] > 0


def raise_epsilon(rng, c):
    c["epsilon"] = c["epsilon"] * (1 + 10.0 ** rng.uniform(-6, -2))
    c["goal"]["epsilon"] = max(c["goal"]["epsilon"], c["epsilon"])
    return c["epsilon"] > 0


def lower_epsilon_by_one_float(rng, c):
    if c["accounting"] == "pure":
        c["epsilon"] = math.nextafter(c["epsilon"], 0)
        return True


def lower_delta(rng, c):
    """A smaller delta at the same epsilon."""
    if c["accounting"] != "pure":
        c["delta"] = c["goal"]["delta"] = c["delta"] * rng.choice([0.1, 0.5, 0.999])
        return c["epsilon"] > 0


def add_a_delta_to_pure(rng, c):
    if c["accounting"] == "pure":
        c["delta"] = 1e-9
        return True


def delta_unlike_the_goal(rng, c):
    if c["accounting"] != "pure":
        c["goal"]["delta"] *= 0.5
        return True


def goal_below_the_claim(rng, c):
    c["goal"]["epsilon"] = c["epsilon"] * 0.999
    return c["epsilon"] > 0


def change_accounting(rng, c):
    c["accounting"] = rng.choice([one for one in ("pure", "gdp", "zcdp") if one != c["accounting"]])
    return True


def gdp_claim_for_zcdp(rng, c):
    """Halves the total as zCDP counts it, and keeps the smaller epsilon of GDP."""
    if c["accounting"] == "gdp" and not any("exponential" in event["mechanism"] for event in c["events"]):
        epsilon = c["epsilon"]
        c["accounting"] = "zcdp"
        restate(c)
        changed = c["epsilon"] > epsilon * (1 + 1e-9)
        c["epsilon"] = epsilon
        return changed


def lower_the_total(rng, c):
    c["total"] = f"{int(c['total'].split('/')[0]) - slack(c)}/2^96"
    return True


def raise_the_total(rng, c):
    c["total"] = f"{int(c['total'].split('/')[0]) + slack(c)}/2^96"
    return True


def slack(c):
    """One quantum, but for logarithms, whose last digits the pages leave open."""
    return 10 ** 15 if any("smoothed-histogram" in event["mechanism"] for event in c["events"]) else 1


def lower_a_sensitivity_and_restate(rng, c):
    event, key = pick(rng, c, "squared_sensitivity", "sensitivity")
    if event and int(content_of(event)[key]) > 1:
        content_of(event)[key] = str(int(content_of(event)[key]) * rng.choice([1, 3]) // 4 or 1)
        restate(c)
        return c["epsilon"] <= c["goal"]["epsilon"]


def change_the_heaviest_weight(rng, c):
    scores = [event["question"]["scores"] for event in c["events"] if "scores" in event["question"]]
    if scores:
        rng.choice(scores)["heaviest"] += 1
    return scores


def state_other_rows_in_an_event(rng, c):
    scores = [event["question"]["scores"] for event in c["events"] if "scores" in event["question"]]
    if len(scores) > 1 and c["adjacency"] == "replace-one":
        rng.choice(scores)["rows"] += 1
        return True


def rename_a_score(rng, c):
    units = SCORES[c["adjacency"]]
    scores = [event["question"]["scores"] for event in c["events"] if "scores" in event["question"]]
    if scores:
        score = rng.choice(scores)
        if score["score"] in ("half-l1", "l1-error", "parity"):
            score["score"] = "half-l1" if score["score"] != "half-l1" else "l1-error"
            return units
    return None


def change_lattice(rng, c):
    event = rng.choice(c["events"])
    event["lattice_log2"] = 10 - event["lattice_log2"]
    return True


def change_length_of_a_selection(rng, c):
    found = [event for event in c["events"] if "scores" in event["question"]]
    if found:
        rng.choice(found)["length"] += 1
    return found


def forced_noise(rng, c):
    c["noise"] = "forced (NOT PRIVATE)"
    return True


def unknown_noise(rng, c):
    c["noise"] = rng.choice(["stale", "", None, True])
    return True


def unknown_field(rng, c):
    place = rng.choice([c, c["goal"], rng.choice(c["events"]), content_of(rng.choice(c["events"]))])
    place["remark"] = 1
    return True


def missing_field(rng, c):
    place = rng.choice([c, c["goal"], rng.choice(c["events"]), content_of(rng.choice(c["events"]))])
    place.pop(rng.choice([key for key in sorted(place) if key not in ("ledger", "cap")]))
    return True


def unknown_format(rng, c):
    c["format"] = rng.choice([0, 2, "1", True, 1.5, None])
    return True


def unknown_mechanism(rng, c):
    event = rng.choice(c["events"])
    event["mechanism"] = {"staircase": content_of(event)}
    return True


def unknown_question(rng, c):
    event = rng.choice(c["events"])
    event["question"] = rng.choice([{"median": [0]}, {}, "table", {"table": [0], "grid": [0]}, {"table": ["0"]},
                                    {"table": [1, 0]}, {"table": [0, 0]},
                                    {"grid": {"column": "age", "grid": "longest text"}}])
    return True


def learn_after_measuring(rng, c):
    """Columns are learned first. What is learned later is a question of no method."""
    kinds = [is_of_columns(event) for event in c["events"]]
    if True in kinds and False in kinds:
        c["events"].append(c["events"].pop(kinds.index(True)))
        for place, event in enumerate(c["events"]):
            event["id"] = place
        return True


def mechanism_of_another_question(rng, c):
    event, _ = pick(rng, c, "sigma", where=lambda event: "threshold" not in content_of(event))
    if event:
        event["question"] = {"values": {"column": "age"}}
    return event


def scale_of_47_bits(rng, c):
    event, key = pick(rng, c, "sigma", "scale", "epsilon")
    if event:
        numerator, exponent = content_of(event)[key].split("/2^")
        if int(numerator) % 2:
            content_of(event)[key] = f"{int(numerator) * 2}/2^{int(exponent) + 1}"
            return True


def strange_number(rng, c):
    c["epsilon"] = rng.choice([float("nan"), float("inf"), -1.0, "1", None, [], 1e308])
    return True


def no_events(rng, c):
    c["events"] = []
    c["total"], c["epsilon"] = "0/2^96", 0.0
    return True


WRONGS = [lower_a_scale, lower_a_scale_and_restate_the_total, raise_an_epsilon, drop_an_event,
          drop_an_event_and_restate, repeat_an_event, repeat_an_event_with_its_id, swap_two_events, change_m,
          change_m_to_true, change_adjacency, change_adjacency_everywhere, change_adjacency_of_an_event,
          lower_a_threshold, lower_the_delta_of_a_threshold, lower_the_delta_of_a_threshold_and_restate,
          raise_the_delta_of_a_threshold, drop_a_threshold, lower_epsilon, raise_epsilon,
          lower_epsilon_by_one_float, lower_delta, add_a_delta_to_pure, delta_unlike_the_goal, goal_below_the_claim,
          change_accounting, gdp_claim_for_zcdp, lower_the_total, raise_the_total, lower_a_sensitivity_and_restate,
          change_the_heaviest_weight, state_other_rows_in_an_event, rename_a_score, change_lattice,
          change_length_of_a_selection, forced_noise, unknown_noise, unknown_field, missing_field, unknown_format,
          unknown_mechanism, unknown_question, learn_after_measuring, mechanism_of_another_question,
          scale_of_47_bits, strange_number, no_events]


def wrong(rng, certificate):
    """The name of a forgery and the forged certificate, which differs from the given one."""
    while True:
        forger = rng.choice(WRONGS)
        forged = copy.deepcopy(certificate)
        if forger(rng, forged) and differ(forged, certificate):
            return forger.__name__, forged


def differ(one, another):
    """As text: in Python `True` is equal to 1."""
    return json.dumps(one) != json.dumps(another)


# --------------------------------------------------------------------- what the program makes

SCHEMA = """\
missingValues: [""]
dp: {terms}
fields:
  - {{name: region, type: string, constraints: {{enum: [Capital, Eastvale, Highlands, Lakeland], required: true}},
     dp: {{source: public, open: true}}}}
  - {{name: sex, type: string, constraints: {{enum: [female, male, other]}}, dp: {{source: public}}}}
  - {{name: household_size, type: integer, constraints: {{minimum: 1, maximum: 10, required: true}},
     dp: {{source: public}}}}
  - {{name: smoker, type: boolean}}
  - {{name: height_cm, type: number, constraints: {{minimum: 70, maximum: 210}},
     dp: {{source: public, open: true, bins: {{width: 20}}, decimals: 1}}}}
"""
TERMS = {"ar": "{maxContributions: 1}", "ar3": "{privacyUnit: pid, maxContributions: 3}",
         "ro": "{adjacency: replace-one}", "ro2": "{privacyUnit: pid, maxContributions: 2, adjacency: replace-one}"}
METHODS = ["auto", "mst", "aim", "privmrf", "independent", "privbayes-nist", "pb-pgm", "privbayes"]


def run(binary, folder, *arguments):
    done = subprocess.run([str(binary), *map(str, arguments)], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(f"{binary} {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def verdict_of_program(binary, path):
    """`accepted`, `certificate` if that is refused, or `model`: its method would not ask this."""
    done = subprocess.run([str(binary), "inspect", str(path)], capture_output=True, text=True)
    if done.returncode == 0:
        return "accepted"
    return "certificate" if "certificate does not follow" in done.stderr else "model"


def make_models(binary, folder, every):
    """Fits models of all methods, neighbours and accountings; fewer unless `every`."""
    folder = pathlib.Path(folder)
    run(binary, folder, "demo", "--quiet", "--rows", 2000, "-o", "demo")
    lines = (folder / "demo/people.csv").read_text(encoding="utf-8").splitlines()
    rng = random.Random(1)
    with open(folder / "people.csv", "w", encoding="utf-8") as file:
        file.write(f"pid,{lines[0]}\n")
        file.writelines(f"p{rng.randrange(900)},{line}\n" for line in lines[1:])
    for name, terms in TERMS.items():
        text = SCHEMA.format(terms=terms)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        small = [line for line in text.splitlines() if line.startswith(("m", "dp", "f")) or "name: sex" in line
                 or "name: smoker" in line]
        (folder / f"{name}-small.yaml").write_text("\n".join(small) + "\n", encoding="utf-8")
    models = []

    def fit(name, *arguments):
        run(binary, folder, "fit", "--quiet", "people.csv", *arguments, "-o", f"{name}.model")
        models.append(folder / f"{name}.model")

    for number, terms in enumerate(TERMS):
        schema = ("--schema", f"{terms}.yaml")
        for place, method in enumerate(METHODS):
            # Unless all are asked for, two methods per set of terms, so that each method has one.
            if every or place // 2 == number:
                fit(f"{terms}-{method}", *schema, "-m", method, "-e", 1, "-d", "1e-9")
        if every or terms == "ro2":
            for method in ("independent", "pb-pgm", "privbayes"):
                fit(f"{terms}-{method}-pure", *schema, "-m", method, "-e", 1, "-d", 0)
        if every or terms == "ar3":
            for method in ("mst", "aim"):
                option = ("--option", "accounting=zcdp")
                fit(f"{terms}-{method}-zcdp", *schema, "-m", method, "-e", 1, "-d", "1e-6", *option)
        if every or terms == "ro":
            fit(f"{terms}-paper", *schema, "-m", "privmrf", "--profile", "paper", "-e", 2, "-d", "1e-7")
        if terms.startswith("ro"):
            fit(f"{terms}-rows", "--schema", f"{terms}-small.yaml", "-m", "smoothed-histogram", "-e", 1, "-d", "1e-6")
            fit(f"{terms}-information", *schema, "-m", "privbayes", "--option", "score=i", "-e", 1, "-d", 0)
    fit("learned", "-e", 1, "-d", "1e-9", "-m", "mst")
    if every:
        fit("learned3", "-e", 1, "-d", "1e-9", "--unit", "pid", "--max-rows", 3)
        fit("learned-zcdp", "-e", 2, "-d", "1e-6", "-m", "mst", "--option", "accounting=zcdp")
    run(binary, folder, "ledger", "init", "--quiet", "people.ledger", "--schema", "ar.yaml", "-e", 3, "-d", "1e-9")
    fit("ledger", "--schema", "ar.yaml", "-m", "independent", "-e", 1, "-d", "1e-9", "--ledger", "people.ledger")
    return models


def make_external(binary, folder, model):
    """A model of noisy tables that an external party declares."""
    run(binary, folder, "marginals", "--quiet", model, "-o", "external.json")
    run(binary, folder, "fit", "--quiet", "--from-marginals", "external.json", "--schema", "ar.yaml", "-o",
        "external.model")
    return pathlib.Path(folder) / "external.model"


def make_bundle(binary, folder, model, rows=300, *more):
    name = f"bundle-{pathlib.Path(model).stem}"
    run(binary, folder, "bundle", "--quiet", model, "--rows", rows, "--seed", 7, *more, "-o", name)
    return pathlib.Path(folder) / name


def make_key(folder, name, kind="ed25519"):
    """The file of a new private key."""
    run("ssh-keygen", folder, "-q", "-t", kind, "-N", "", "-C", "", "-f", name)
    return pathlib.Path(folder) / name


def sign(folder, key, text, namespace="scumble-release"):
    """The signature of a text, as `ssh-keygen` makes it."""
    path = pathlib.Path(folder) / "signed-text"
    path.write_bytes(text)
    signature = path.with_suffix(".sig")
    signature.unlink(missing_ok=True)
    run("ssh-keygen", folder, "-Y", "sign", "-q", "-n", namespace, "-f", key, path)
    return signature.read_bytes()


def signers(folder, name, key):
    """The text of a file of signers with this key, which is written too."""
    text = f"{name} {key.with_suffix('.pub').read_text(encoding='utf-8')}"
    (pathlib.Path(folder) / "signers").write_text(text, encoding="utf-8")
    return text


def parts_of_model(data):
    """Version and parts of a model file."""
    parts, at = [], 12
    while at < len(data) - 32:
        length = struct.unpack_from("<Q", data, at)[0]
        parts.append(data[at + 8:at + 8 + length])
        at += 8 + length
    return struct.unpack_from("<I", data, 8)[0], parts


def model_of_parts(version, parts):
    body = b"SCUMBLE\n" + struct.pack("<I", version) + b"".join(struct.pack("<Q", len(part)) + part for part in parts)
    return body + hashlib.sha256(body).digest()


def certificate_in(path):
    return json.loads(parts_of_model(pathlib.Path(path).read_bytes())[1][2])["measured"]["certificate"]


def with_certificate(path, certificate):
    """The bytes of a model file with another certificate, and a checksum that matches."""
    version, parts = parts_of_model(pathlib.Path(path).read_bytes())
    origin = json.loads(parts[2])
    origin["measured"]["certificate"] = certificate
    parts[2] = json.dumps(origin).encode()
    return model_of_parts(version, parts)
