#!/usr/bin/env bash
# Draws the figures of the PrivMRF paper again, with both profiles of our method: CSV and SVG files in docs/reproduction, and
# the figures with their bars on standard output. Hours on two cores with the default of ten runs per point; what is cut off
# goes on with --resume, and --from-csv sums up what is there.
#
#     reproduce/privmrf.sh                                             # everything
#     reproduce/privmrf.sh utility --tables nltcs --runs 2             # a part, faster
#     reproduce/privmrf.sh utility --profiles best --epsilons 0.8 --resume
#     reproduce/privmrf.sh cost                                        # beside nothing else
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export CARGO_TARGET_DIR="${SCUMBLE_TARGET:-$HOME/.cache/scumble-target}"
environment="${SCUMBLE_PEERS:-$HOME/.cache/scumble-peers}/judge"
if [ -z "${SCUMBLE_PYTHON:-}" ]; then
    if [ ! -x "$environment/bin/python" ]; then
        python3 -m venv "$environment"
    fi
    # An environment of reproduce/privbayes.sh has no scikit-learn.
    if ! "$environment/bin/python" -c 'import numpy, pandas, sklearn' 2>/dev/null; then
        "$environment/bin/pip" install --quiet numpy pandas scikit-learn
    fi
    export SCUMBLE_PYTHON="$environment/bin/python"
fi
cargo build --locked --quiet --workspace --example privmrf_figures --bin scumble
"$CARGO_TARGET_DIR/debug/examples/privmrf_figures" "$@"
