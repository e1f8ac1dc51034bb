"""What the Python package `mbi` makes of a file of measured tables, and what that costs.

    peer.py estimate FILE ITERATIONS [float64]
    peer.py sample FILE ITERATIONS ROWS

Prints one JSON object. Compilation is paid by a first call, and not counted.
"""

import json
import resource
import sys
import time
import warnings

command, path, iterations, *rest = sys.argv[1:]
iterations = int(iterations)

# By default JAX computes with 32 bits, which is faster and is what users of `mbi` get.
import jax

jax.config.update("jax_enable_x64", "float64" in rest)
warnings.filterwarnings("ignore", message="JAX is running in float32")
import mbi
import mbi.estimation
import numpy

compilations = []
jax.monitoring.register_event_duration_secs_listener(
    lambda name, seconds, **_: "backend_compile" in name and compilations.append(seconds)
)


def peak():
    """The most memory held so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu():
    """Processor seconds so far, over all threads."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def timed(first, work):
    """The cheaper of two calls after a first one, as (processor seconds, wall seconds, compilations, result)."""
    first()
    runs = []
    while len(runs) < 2:
        compiled, wall, start = len(compilations), time.perf_counter(), cpu()
        result = work()
        runs.append((cpu() - start, time.perf_counter() - wall, len(compilations) - compiled, result))
        if runs[0][0] > 10:  # One such call is long enough to be measured well.
            break
    return min(runs, key=lambda run: run[0])


after_import = peak()
with open(path) as file:
    measured = json.load(file)
names = [attribute["name"] for attribute in measured["attributes"]]
domain = mbi.Domain(names, [attribute["size"] for attribute in measured["attributes"]])
measurements = [
    mbi.LinearMeasurement(
        numpy.array(table["values"], dtype=float),
        tuple(names[axis] for axis in table["clique"]),
        table["standard_deviation"],
    )
    for table in measured["measurements"]
]


def estimate(iterations):
    model = mbi.estimation.MirrorDescent().estimate(
        domain, measurements, known_total=measured["total"], iters=iterations
    )
    jax.block_until_ready(model.marginals)
    return model


def loss(model):
    """The loss, computed with 64 bits: half the sum of squared errors, each over its standard deviation."""
    total = 0.0
    for table in measurements:
        fitted = numpy.asarray(model.project(table.clique).datavector(), dtype=numpy.float64)
        error = (fitted - numpy.asarray(table.noisy_measurement)) / table.stddev
        total += 0.5 * float(error @ error)
    return total


if command == "estimate":
    # `mbi` compiles a block of iterations and calls that as often as it takes: a first call may be one block long.
    seconds, wall, compiled, model = timed(lambda: estimate(50), lambda: estimate(iterations))
    answer = {"loss": loss(model), "peak_mib": peak()}
else:
    model, rows = estimate(iterations), int(rest[0])
    sample = lambda: model.synthetic_data(rows)
    seconds, wall, compiled, data = timed(sample, sample)
    answer = {"rows": rows, "peak_mib": peak()}
answer |= {"cpu_seconds": seconds, "wall_seconds": wall, "compilations": compiled, "import_mib": after_import}
print(json.dumps(answer))
