#!/bin/sh
# Writes requirements.lock and requirements-bench.lock anew from pyproject.toml: every version and
# hash, for every Python from 3.11 on, without addresses. With --bench only the second, whose packages
# fit the first as it is. Needs uv (pip install uv).
set -eu
cd "$(dirname "$0")/.."
export UV_CUSTOM_COMPILE_COMMAND="scripts/lock.sh"

# lock FILE OPTION…
lock() {
    file=$1
    shift
    uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --upgrade --quiet --output-file "$file" "$@"
}

[ "${1:-}" = --bench ] || lock requirements.lock --extra dev
lock requirements-bench.lock --extra bench --constraint requirements.lock
