#!/usr/bin/env bash
# Shows the figures of the Python package on standard output, each with its bar. Builds the wheel that is published, unless one is given:
# a quarter of an hour or more; the rest takes some minutes.
#
#     reproduce/python.sh                     # build the wheel and show everything
#     reproduce/python.sh --wheel dist/scumble-0.1.0-cp310-abi3-linux_x86_64.whl
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

source reproduce/environment.sh
exec python3 python/figures/figures.py "$@"
