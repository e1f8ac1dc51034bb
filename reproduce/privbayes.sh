#!/usr/bin/env bash
# Draws the figures of the PrivBayes papers again, with our methods: CSV and SVG files in docs/reproduction, and the figures
# with their bars on standard output. Hours on two cores with the default numbers of runs; what is cut off of theta and svm goes
# on with --resume, and --from-csv sums up what is there.
#
#     reproduce/privbayes.sh                                           # everything
#     reproduce/privbayes.sh utility --tables nltcs --runs 2           # a part, faster; also scores, theta, svm, nist, speed
#     reproduce/privbayes.sh svm --methods privbayes --resume
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas sklearn=scikit-learn
cargo build --locked --quiet --workspace --example figures
"$CARGO_TARGET_DIR/debug/examples/figures" privbayes "$@"
