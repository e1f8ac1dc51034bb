#!/usr/bin/env bash
# Makes every table and figure that the documentation shows of the papers' experiments, and of our own: all other scripts of this
# folder, one after the other. Last it prints one JSON object with what each part took and what was found, each with its bar, and
# it fails if a part fails, if a bar is missed, or if the documentation shows a file that no part has written.
#
#     reproduce/all.sh                          # everything as the documentation has it, into docs/reproduction: many hours
#     reproduce/all.sh --fast                   # every part with few points and one run, into a temporary folder: minutes
#     reproduce/all.sh --fast --output FOLDER   # the fast run, into a folder that is kept
#
# Tables are read from SCUMBLE_BENCH_DATA (default ../shared/data); reproduce/data.sh fetches them. Without them, parts that
# need them are skipped and named.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mode=full output=
while [ $# -gt 0 ]; do
    case "$1" in
    --fast) mode=fast ;;
    --output)
        output="${2:?--output needs a folder}"
        shift
        ;;
    *)
        echo "error: no option $1; there is --fast and --output FOLDER" >&2
        exit 2
        ;;
    esac
    shift
done
if [ -z "$output" ]; then
    [ "$mode" = fast ] && output=$(mktemp -d) || output=docs/reproduction
fi
mkdir -p "$output"
output=$(realpath "$output")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
touch "$work/started"

source reproduce/environment.sh
data="${SCUMBLE_BENCH_DATA:-$PWD/../shared/data}"

# Runs a part, shows its output, and notes its time, its exit code, and the figures that it prints last.
part() {
    local name="$1" started ended=0
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    started=$(date +%s.%N)
    "$@" | tee "$work/said" || ended=$?
    printf '%s\t%s\t%s\t%s\n' "$name" "$started" "$(date +%s.%N)" "$ended" >>"$work/parts"
    tail -n 1 "$work/said" >"$work/$name.json"
}

# Runs a part that reads benchmark tables, or names it as skipped if they are missing.
on_tables() {
    if [ -d "$data/adult" ]; then
        part "$@"
    else
        printf '\n== %s: SKIPPED, no benchmark tables in %s; fetch them with reproduce/data.sh or set SCUMBLE_BENCH_DATA\n' "$1" "$data"
        echo "$1" >>"$work/skipped"
    fi
}

# One build for all parts, so that the time of none of them contains it.
part build cargo build --locked --quiet --workspace --bin scumble --example figures
if [ -d "$data/adult" ]; then
    judge_with numpy pandas sklearn=scikit-learn
fi

if [ "$mode" = fast ]; then
    few=(--runs 1 --output "$output")
    part aalborg reproduce/aalborg.sh --tables 40 --output "$output"
    on_tables privbayes-scores reproduce/privbayes.sh scores --tables nltcs --epsilons 0.1,1.6 "${few[@]}"
    on_tables privbayes-theta reproduce/privbayes.sh theta --tables nltcs --epsilons 0.4,1.6 "${few[@]}"
    on_tables privbayes-utility reproduce/privbayes.sh utility --tables nltcs --epsilons 0.1,0.8 "${few[@]}"
    on_tables privbayes-svm reproduce/privbayes.sh svm --tables nltcs --epsilons 0.05,1.6 "${few[@]}"
    on_tables privbayes-nist reproduce/privbayes.sh nist --epsilons 0.5,4 "${few[@]}"
    on_tables privbayes-speed reproduce/privbayes.sh speed --tables adult "${few[@]}"
    on_tables privmrf-parameters reproduce/privmrf.sh parameters --epsilons 0.8 "${few[@]}"
    on_tables privmrf-utility reproduce/privmrf.sh utility --tables nltcs --epsilons 0.1,0.8 "${few[@]}"
    on_tables privmrf-svm reproduce/privmrf.sh svm --tables nltcs --epsilons 0.8 "${few[@]}"
    on_tables privmrf-cost reproduce/privmrf.sh cost --tables nltcs --epsilons 0.8 "${few[@]}"
    on_tables privmrf-size reproduce/privmrf.sh size --tables fire --epsilons 0.05 --profiles paper "${few[@]}"
    on_tables privmrf-ablation reproduce/privmrf.sh ablation --tables nltcs --epsilons 0.1 "${few[@]}"
    on_tables auto-floor reproduce/auto.sh floor --tables nltcs "${few[@]}"
    on_tables auto-utility reproduce/auto.sh utility --tables nltcs --epsilons 0.1,0.8 "${few[@]}"
    on_tables auto-wide reproduce/auto.sh wide --tables loans --epsilons 0.2 "${few[@]}"
    on_tables auto-cost reproduce/auto.sh cost --tables nltcs --epsilons 0.8 "${few[@]}"
    on_tables auto-ablation reproduce/auto.sh ablation --tables nltcs "${few[@]}"
    part columns-rules reproduce/columns.sh rules --runs 1
    on_tables columns-hierarchies reproduce/columns.sh hierarchies --tables loans --runs 1
    on_tables learned reproduce/learned.sh --tables adult "${few[@]}"
    part readme reproduce/readme.sh --rows 2000 --releases 2 --output "$output"
    printf '\n== %s: LEFT OUT, no paper'"'"'s experiment, and it builds in release mode, which takes longer than all of this\n' \
        reproduce/product.sh reproduce/python.sh
else
    part aalborg reproduce/aalborg.sh --output "$output"
    on_tables privbayes reproduce/privbayes.sh --output "$output"
    on_tables privmrf reproduce/privmrf.sh --output "$output"
    on_tables auto reproduce/auto.sh --output "$output"
    part columns reproduce/columns.sh
    on_tables learned reproduce/learned.sh --output "$output"
    on_tables release reproduce/release.sh --output "$output"
    on_tables audit reproduce/audit.sh --output "$output"
    on_tables product reproduce/product.sh --output "$output"
    part python reproduce/python.sh
    # Last, because two of its pictures are drawn from files in docs/reproduction.
    part readme reproduce/readme.sh --output "$output"
fi
printf '\n== findings\n'
python3 reproduce/findings.py "$mode" "$output" "$work"
