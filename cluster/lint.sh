#!/usr/bin/env bash
# Checks the files for deploying: units by systemd itself, manifests against the schemas of Kubernetes.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

units=$(mktemp -d)
trap 'rm -rf "$units"' EXIT
if ! command -v systemd-analyze >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends systemd; } >/dev/null
fi
for unit in systemd/*.service; do
    # What is started need not be installed here.
    sed 's#/usr/local/bin/scumble#/bin/true#' "$unit" >"$units/$(basename "$unit")"
done
systemd-analyze verify --man=no "$units"/*.service
echo "systemd: $(ls systemd/*.service | wc -l) units are sound"

environment="${SCUMBLE_LINT_ENVIRONMENT:-$HOME/.cache/scumble-lint}"
if [ ! -x "$environment/bin/kubernetes-validate" ]; then
    python3 -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check kubernetes-validate==1.37.0
fi
"$environment/bin/kubernetes-validate" --strict kubernetes/*.yaml
echo "kubernetes: $(ls kubernetes/*.yaml | wc -l) files are sound"
