#!/usr/bin/env bash
# Shows the figures of the cluster on standard output, each with its bar, last as one JSON object. Everything is on this machine:
# servers as processes, hosts as network namespaces. It needs root for those, and a quarter of an hour.
#
#     cluster/figures.sh                 # everything
#     cluster/figures.sh kills faults    # some parts: scan bytes kills faults trust objects sample model codes sums lake
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CARGO_TARGET_DIR="${SCUMBLE_TARGET:-$HOME/.cache/scumble-target}"

if [ "$(id -u)" -ne 0 ]; then
    echo "network namespaces and small disks need root" >&2
    exit 2
fi
for program in ip openssl; do
    if ! command -v "$program" >/dev/null; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends iproute2 openssl; } >/dev/null
    fi
done
# A server of objects that speaks S3, over a folder.
tools="$HOME/.cache/scumble-tools"
if [ ! -x "$tools/bin/s3s-fs" ]; then
    CARGO_TARGET_DIR="$tools/target" cargo install --quiet --locked --root "$tools" --features binary s3s-fs@0.14.1
    rm -rf "$tools/target"
fi

cluster/lint.sh
# With the packages that .ci/nightly builds, so that DataFusion is built once.
cargo build --locked --release --quiet -p scumble-cli -p scumble-python --lib --bins
cargo build --locked --release --quiet -p scumble-benchmarks -p scumble-python --example figures
export SCUMBLE="$CARGO_TARGET_DIR/release/scumble"
export SCUMBLE_S3_SERVER="$tools/bin/s3s-fs"
export AWS_ENDPOINT=http://127.0.0.1:52014 AWS_ALLOW_HTTP=true AWS_REGION=us-east-1
export AWS_ACCESS_KEY_ID=reader AWS_SECRET_ACCESS_KEY=secret
# On a disk, and kept between runs: fifty million rows take a minute to make.
export SCUMBLE_CLUSTER_DATA="${SCUMBLE_CLUSTER_DATA:-$HOME/.cache/scumble-cluster-figures}"
"$CARGO_TARGET_DIR/release/examples/figures" cluster "$@"
