#!/usr/bin/env bash
# Shows the figures of the product's verbs: CSV files in docs/reproduction, and the figures with their bars on standard output.
# Time and memory are those of the released program, so that is what is built and measured: some minutes, beside nothing else.
#
#     reproduce/product.sh                                             # everything
#     reproduce/product.sh plan --epsilons 0.2,0.8,3.2 --resume        # plans against fits at more budgets
#     reproduce/product.sh time                                        # forecasts on this machine against processor time
#     reproduce/product.sh plan --from-csv                             # sums up what is there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas
if [ -z "${SCUMBLE_BIN:-}" ]; then
    cargo build --locked --quiet --release --bin scumble --manifest-path crates/cli/Cargo.toml
    export SCUMBLE_BIN="$CARGO_TARGET_DIR/release/scumble"
fi
cargo build --locked --quiet --workspace --example figures
"$CARGO_TARGET_DIR/debug/examples/figures" product "$@"
