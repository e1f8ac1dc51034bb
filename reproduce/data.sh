#!/usr/bin/env bash
# Fetches the public benchmark tables and verifies them. They are not in the repository, because their terms differ:
#
#     nltcs acs br2000 adult    github.com/caicre/PrivMRF, Apache-2.0. NLTCS is the 16-item extract of the PrivBayes papers; acs
#                               and br2000 come from IPUMS, which asks to be cited and not to redistribute its extracts.
#     adult (original values)   UCI Machine Learning Repository, CC BY 4.0
#     adult_mbi fire loans msnbc salary stroke titanic
#                               github.com/ryan112358/nist-synthetic-data-2021, Apache-2.0; terms of the data not checked
#     acs_national2019          NIST Diverse Communities Data Excerpts, public domain: by hand, see below
#
#     reproduce/data.sh                                   # all tables, into SCUMBLE_BENCH_DATA or ../shared/data
#     reproduce/data.sh --to FOLDER nltcs adult           # some tables, into a folder
#     reproduce/data.sh --from FOLDER --to FOLDER         # copies from a folder instead, and verifies
#     reproduce/data.sh --verify                          # verifies what is there, and fetches nothing
#
# Files that are there and have the right checksum are kept; files with another checksum are reported and never overwritten. The
# exit code is 1 if a file is missing or wrong. Needs Python and nothing else.
set -euo pipefail
exec python3 "$(dirname "${BASH_SOURCE[0]}")/data.py" "$@"
