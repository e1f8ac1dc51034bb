#!/usr/bin/env bash
# A cluster on this machine, to try it: a scheduler and two executors of one thread each, with certificates of their own.
#
#     cluster/local.sh            # until Ctrl-C; prints what to add to `scumble fit` and `scumble sample`
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
scumble="${SCUMBLE:-scumble}"
port="${SCUMBLE_PORT:-50050}"
folder="$(mktemp -d)"
"$here/certificates.sh" "$folder/tls"

processes=()
end() {
    # By number, and each on its own: a server that is gone already is no reason to leave another.
    for process in "${processes[@]}"; do kill "$process" 2>/dev/null || true; done
    wait
    rm -rf "$folder"
}
trap end EXIT

"$scumble" scheduler --listen "127.0.0.1:$port" --tls "$folder/tls/server" &
processes+=($!)
for number in 1 2; do
    mkdir -m 700 "$folder/$number"
    "$scumble" executor --scheduler "ballista://127.0.0.1:$port" --listen "127.0.0.1:$((port + number))" --threads 1 \
        --work-dir "$folder/$number" --tls "$folder/tls/server" &
    processes+=($!)
done
echo "add: --engine ballista://127.0.0.1:$port --tls $folder/tls/client"
wait -n
