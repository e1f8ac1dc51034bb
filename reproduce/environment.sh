# What all scripts of this folder share: where things are built, and a Python for the neutral judge. To be sourced.
export CARGO_TARGET_DIR="${SCUMBLE_TARGET:-$HOME/.cache/scumble-target}"

# Sets SCUMBLE_PYTHON, unless it is set, to one that has the packages, each given as MODULE=PACKAGE.
judge_with() {
    [ -n "${SCUMBLE_PYTHON:-}" ] && return
    local environment="${SCUMBLE_PEERS:-$HOME/.cache/scumble-peers}/judge" needed
    if [ ! -x "$environment/bin/python" ]; then
        python3 -m venv "$environment"
    fi
    for needed in "$@"; do
        # Another script may have made the environment with fewer packages.
        if ! "$environment/bin/python" -c "import ${needed%%=*}" 2>/dev/null; then
            "$environment/bin/pip" install --quiet "${needed##*=}"
        fi
    done
    export SCUMBLE_PYTHON="$environment/bin/python"
}
