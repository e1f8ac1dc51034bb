#!/usr/bin/env bash
# Draws the pictures of the README: SVG files in docs/reproduction. Errors and costs are drawn from the CSV files there; `rows` fits the
# made-up survey ten times, which takes some minutes.
#
#     reproduce/readme.sh                                  # all three
#     reproduce/readme.sh errors cost                      # what was measured before, in a second
#     reproduce/readme.sh rows --rows 20000 --releases 3   # faster
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
cargo build --locked --quiet --workspace --example figures
"$CARGO_TARGET_DIR/debug/examples/figures" readme "$@"
