#!/usr/bin/env bash
# Draws the figures of auto, mst and aim: CSV and SVG files in docs/reproduction, and the figures with their bars on standard
# output. Hours on two cores with the default numbers of runs; what is cut off goes on with --resume, and --from-csv sums up
# what is there.
#
#     reproduce/auto.sh                                                # everything
#     reproduce/auto.sh floor                                          # the best tree without noise, which mst tends to
#     reproduce/auto.sh utility --tables nltcs --runs 2                # a part, faster
#     reproduce/auto.sh wide --methods auto,mst --epsilons 0.8 --resume
#     reproduce/auto.sh cost                                           # beside nothing else
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas
cargo build --locked --quiet --workspace --example figures --bin scumble
"$CARGO_TARGET_DIR/debug/examples/figures" auto "$@"
