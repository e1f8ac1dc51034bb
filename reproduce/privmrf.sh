#!/usr/bin/env bash
# Draws the figures of the PrivMRF paper again, with both profiles of our method: CSV and SVG files in docs/reproduction, and
# the figures with their bars on standard output. Hours on two cores with the default of ten runs per point; what is cut off
# goes on with --resume, and --from-csv sums up what is there.
#
#     reproduce/privmrf.sh                                             # everything
#     reproduce/privmrf.sh parameters --runs 3                         # a part, faster; also utility, svm, cost, size, ablation
#     reproduce/privmrf.sh utility --profiles best --epsilons 0.8 --resume
#     reproduce/privmrf.sh cost                                        # beside nothing else
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas sklearn=scikit-learn
cargo build --locked --quiet --workspace --example figures --bin scumble
"$CARGO_TARGET_DIR/debug/examples/figures" privmrf "$@"
