#!/usr/bin/env bash
# Shows whether released quality figures are right, what they cost, and how often releases under criteria pass, each with its bar.
#
#     reproduce/release.sh                                             # everything: hours on two cores
#     reproduce/release.sh coverage --tables adult --runs 5            # a part, faster
#     reproduce/release.sh births --epsilons 4.99,1 --runs 2
#     reproduce/release.sh workload --runs 5                           # errors of tables that matter more
#     reproduce/release.sh --output docs/reproduction --resume         # continues, and keeps what is there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
if [ -z "${SCUMBLE_BIN:-}" ]; then
    cargo build --locked --quiet --workspace --bin scumble
    export SCUMBLE_BIN="$CARGO_TARGET_DIR/debug/scumble"
fi
if [ "${1:-}" = workload ]; then
    judge_with numpy pandas
    exec "$SCUMBLE_PYTHON" reproduce/workload.py "${@:2}"
fi
exec "${SCUMBLE_PYTHON:-python3}" reproduce/release.py "$@"
