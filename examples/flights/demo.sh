#!/bin/bash
# Prepares the flights of 2013, explains the main job, runs it over all of them and shows results.
# `make demo` calls it after the set-up.
set -euo pipefail
cd "$(dirname "$0")"
bin=$(cd ../.. && pwd)/.venv/bin

step() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }

"$bin/python" prepare.py
rm -rf state out # the demo begins anew every time; a job of yours goes on where it ended

step "reflow explain flights.cql"
"$bin/reflow" explain flights.cql

step "reflow run flights.cql --checkpoint state --drain"
"$bin/reflow" run flights.cql --checkpoint state --drain

step "python show.py"
"$bin/python" show.py
cat <<'END'

The query is examples/flights/flights.cql, the results are in examples/flights/out/.
Next:  cd examples/flights && ../../.venv/bin/reflow compile flights.cql -o -     (the program)
       .venv/bin/reflow new first                                               (a query of your own)
END
