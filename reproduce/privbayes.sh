#!/usr/bin/env bash
# Draws the figures of the PrivBayes papers again, with our methods: CSV and SVG files in docs/reproduction, and the figures
# with their bars on standard output. About an hour on two cores with the default of ten runs per point.
#
#     reproduce/privbayes.sh                      # everything
#     reproduce/privbayes.sh utility --runs 2     # a part, faster
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas
cargo build --locked --quiet --workspace --example privbayes_figures
"$CARGO_TARGET_DIR/debug/examples/privbayes_figures" "$@"
