#!/bin/sh
# Writes requirements.lock anew from pyproject.toml: every version and hash, for every Python from
# 3.11 on, without addresses. Needs uv (pip install uv).
set -eu
cd "$(dirname "$0")/.."
UV_CUSTOM_COMPILE_COMMAND="scripts/lock.sh" exec uv pip compile pyproject.toml \
    --universal --python-version 3.11 --extra dev \
    --generate-hashes --no-emit-index-url --upgrade --quiet --output-file requirements.lock
