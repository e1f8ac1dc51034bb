#!/usr/bin/env python3
"""Measures the second verifier, and prints one JSON object with its figures as the last line.

    SCUMBLE_BIN=target/debug/scumble python3 verify/figures.py [NUMBER] [--seed SEED]

NUMBER random certificates, by default 10,000: half of them right, half of them wrong; a fifth of
each are those of real models, changed. Without SCUMBLE_BIN there are no real ones and no bundles.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import cases
import scumble_verify as verifier
from test_scumble_verify import STRICTER, failures_of, flipped_bits_found, report_of

FLIPS = 40  # In every file of every bundle.
COMPARED = 200  # Certificates that the program judges, too.
MAX_SECONDS = 0.1  # For one certificate.


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("number", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=20)
    options = parser.parse_args()
    binary = os.environ.get("SCUMBLE_BIN")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="figures-"))
    figures = []

    def add(name, value, unit, bar, holds):
        figures.append({"name": name, "value": value, "unit": unit, "bar": bar, "holds": holds})
        print(f"{name}: {value} {unit}", flush=True)

    def all_of(name, part, whole):
        add(name, part, f"of {whole}", whole, part == whole)

    try:
        models = cases.make_models(binary, folder, every=True) if binary else []
        if models:
            reports = [verifier.check_path(str(model)) for model in models]
            for model, report in zip(models, reports):
                if not report.holds():
                    print(f"rejected: {model.name}: {failures_of(report)}")
            all_of("real models accepted", sum(report.holds() for report in reports), len(reports))
        measure_certificates(random.Random(options.seed), options.number, models, all_of, add)
        if models:
            compare(random.Random(options.seed), binary, folder, models, all_of)
            damage(random.Random(options.seed), binary, folder, models, all_of)
        else:
            print("SCUMBLE_BIN is not set: no real models, no bundles")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(json.dumps({"figures": figures}))
    return 0 if all(figure["holds"] for figure in figures) else 1


def measure_certificates(rng, number, models, all_of, add):
    accepted = rejected = 0
    seconds, forgeries = [], {}
    real = [cases.certificate_in(model) for model in models]
    for place in range(number // 2):
        from_program = real and place % 5 == 0
        certificate = cases.variant(rng, rng.choice(real)) if from_program else cases.right(rng)
        began = time.perf_counter()
        report = report_of(certificate)
        seconds.append(time.perf_counter() - began)
        accepted += report.holds()
        if not report.holds():
            print(f"rejected: {failures_of(report)}: {json.dumps(certificate)[:1000]}")
        name, forged = cases.wrong(rng, certificate)
        forgeries[name] = forgeries.get(name, 0) + 1
        if report_of(forged).holds():
            print(f"accepted: {name}: {json.dumps(forged)[:1000]}")
        else:
            rejected += 1
    all_of("right certificates accepted", accepted, number // 2)
    all_of("wrong certificates rejected", rejected, number // 2)
    add("kinds of forgery tried", len(forgeries), "kinds", len(cases.WRONGS), len(forgeries) == len(cases.WRONGS))
    mean = sum(seconds) / len(seconds)
    add("seconds per certificate, mean", round(mean, 5), "s", MAX_SECONDS, mean <= MAX_SECONDS)
    largest = max(seconds)
    add("seconds per certificate, largest", round(largest, 5), "s", 10 * MAX_SECONDS, largest <= 10 * MAX_SECONDS)


def compare(rng, binary, folder, models, all_of):
    """Verdicts of the program on certificates within their models."""
    path, agreed, stricter = folder / "forged.model", 0, 0
    for place in range(COMPARED):
        model = rng.choice(models)
        certificate, name = cases.certificate_in(model), "variant"
        changed = cases.variant(rng, certificate)
        if place % 2:
            name, changed = cases.wrong(rng, certificate)
        path.write_bytes(cases.with_certificate(model, changed))
        ours = verifier.check_path(str(path)).holds()
        theirs = cases.verdict_of_program(binary, path)
        # What the program refuses for another reason than the certificate is no verdict on a right one.
        if ours == (theirs == "accepted") or ours and theirs == "model":
            agreed += 1
        elif name in STRICTER and not ours:
            stricter += 1
        else:
            print(f"the program says {theirs}, we say {ours}: {model.name}, {name}")
    print(f"of {COMPARED} verdicts, {stricter} are known to be stricter than the program's")
    all_of("verdicts shared with the program, or known to be stricter", agreed + stricter, COMPARED)


def damage(rng, binary, folder, models, all_of):
    found = total = 0
    for name in ("ar-mst", "ro2-privbayes-pure", "ro-rows"):
        bundle = cases.make_bundle(binary, folder, folder / f"{name}.model")
        if not verifier.check_path(str(bundle)).holds():
            print(f"rejected: {bundle.name}")
            total += 1
        part = flipped_bits_found(rng, bundle, FLIPS)
        found, total = found + part[0], total + part[1]
    all_of("flipped bits found in bundles", found, total)
    if not shutil.which("ssh-keygen"):
        print("ssh-keygen is not installed: no signed bundle")
        return
    model = shutil.copy(folder / "ar-mst.model", folder / "signed.model")
    key = cases.make_key(folder, "office")
    bundle = cases.make_bundle(binary, folder, model, 300, "--sign", key)
    signers = cases.signers(folder, "data@office.example", key)
    all_of("signed bundles accepted", int(verifier.check_path(str(bundle), signers).holds()), 1)
    all_of("flipped bits found in a signed bundle", *flipped_bits_found(rng, bundle, 10 * FLIPS, signers))


if __name__ == "__main__":
    sys.exit(main())
