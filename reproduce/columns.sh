#!/usr/bin/env bash
# Shows the figures of real columns on standard output, each with its bar: some minutes for every fit of a large table.
#
#     reproduce/columns.sh                                             # everything
#     reproduce/columns.sh rules                                       # ten million rows of a table with every kind of column
#     reproduce/columns.sh hierarchies --tables loans --runs 9         # one table, more fits
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
cargo build --locked --quiet --workspace --example figures
"$CARGO_TARGET_DIR/debug/examples/figures" columns "$@"
