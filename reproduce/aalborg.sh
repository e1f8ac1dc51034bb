#!/usr/bin/env bash
# Does the Aalborg study again: CSV and SVG files in docs/reproduction, and the figures with their bars on standard output. Some
# minutes on one core with the default of 1,000 tables of each kind. Rows are made up, so that no benchmark table is needed.
#
#     reproduce/aalborg.sh                                             # everything
#     reproduce/aalborg.sh --tables 50 --output /tmp/aalborg           # fewer tables, faster, elsewhere
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
cargo build --locked --quiet --workspace --example figures
"$CARGO_TARGET_DIR/debug/examples/figures" aalborg "$@"
