#!/usr/bin/env bash
# Attacks the program: what the best attack proves beside what is claimed, planted bugs seen from outside, releases attacked on real
# tables, and the second verifier against forged certificates and damaged bundles. Prints, last, one JSON object with all figures.
#
#     reproduce/audit.sh                       # everything: hours on two cores
#     reproduce/audit.sh methods --runs 20000  # one part: phases, methods, pure, planted, program, gains or verifier
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
# Debug builds: mechanisms that leak cannot be built in release mode, and everything here runs on one build.
cargo build --locked --quiet --workspace --bin scumble --example figures --features scumble-benchmarks/planted-bugs
export SCUMBLE_BIN="${SCUMBLE_BIN:-$CARGO_TARGET_DIR/debug/scumble}"
export SCUMBLE_FIGURES="$CARGO_TARGET_DIR/debug/examples/figures"
exec "${SCUMBLE_PYTHON:-python3}" reproduce/audit.py "$@"
