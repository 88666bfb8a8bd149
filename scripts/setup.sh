#!/bin/bash
# Prepares this checkout: a Java runtime (17 or newer), a Python (3.11 or newer), and .venv with the
# locked packages and `reflow` itself. What can be installed with the system's package manager is
# installed where that is allowed (root, or sudo without a password, on Debian or Ubuntu); otherwise
# the script says what to do and fails. Running it again is quick: a stamp remembers what was set up.
#
#   .venv/bin/reflow    the command
#   .venv/env.sh        JAVA_HOME and PYSPARK_PYTHON, to be sourced before anything starts Spark
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD
venv=$here/.venv

say() { printf 'set-up: %s\n' "$*"; }
fail() {
    printf '\nset-up failed: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
    exit 1
}

# --- the system's package manager ---------------------------------------------------------------

apt_updated=no

# Succeeds where packages may be installed without asking anybody.
may_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"
    else sudo -n env DEBIAN_FRONTEND=noninteractive "$@"; fi
}

# install_one_of PACKAGE...: installs the first package that the system offers.
install_one_of() {
    if [ "$apt_updated" = no ]; then
        say "reading the system's package lists"
        as_root apt-get update -qq >/dev/null || say "the package lists could not be read; going on with the old ones"
        apt_updated=yes
    fi
    local package
    for package in "$@"; do
        LC_ALL=C apt-cache policy "$package" 2>/dev/null | grep -q 'Candidate: [0-9]' || continue
        say "installing $package"
        as_root mkdir -p /usr/share/man/man1 # minimal images lack it and Java's package wants it
        as_root apt-get install -y -qq --no-install-recommends "$package" >/dev/null && return 0
    done
    return 1
}

# --- Java ---------------------------------------------------------------------------------------

# java_ok PROGRAM: is it a Java of version 17 or newer?
java_ok() {
    [ -x "$1" ] || return 1
    local major
    major=$("$1" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p' | head -n 1)
    [ -n "$major" ] && [ "$major" -ge 17 ]
}

# Prints the home of a usable Java, preferring what the user has chosen.
find_java() {
    local candidate
    for candidate in "${JAVA_HOME:+$JAVA_HOME/bin/java}" "$(command -v java || true)" \
        /usr/lib/jvm/*/bin/java /opt/*/bin/java; do
        if [ -n "$candidate" ] && java_ok "$candidate"; then
            candidate=$(readlink -f "$candidate")
            printf '%s\n' "${candidate%/bin/java}"
            return 0
        fi
    done
    return 1
}

ensure_java() {
    java_home=$(find_java) && return 0
    if may_install; then
        install_one_of openjdk-17-jre-headless openjdk-21-jre-headless default-jre-headless || true
        java_home=$(find_java) && return 0
    fi
    fail "Java 17 or newer was not found (Spark needs it)." \
        "Install it, for example on Debian or Ubuntu:" \
        "    sudo apt-get update && sudo apt-get install -y openjdk-17-jre-headless" \
        "(where that package is missing: openjdk-21-jre-headless or default-jre-headless)," \
        "or set JAVA_HOME to the folder of a Java 17 or newer. Then run the same command again."
}

# --- Python -------------------------------------------------------------------------------------

python_ok() {
    "$1" -c 'import sys; raise SystemExit(not (3, 11) <= sys.version_info[:2] < (3, 15))' 2>/dev/null
}

# can_venv PYTHON: has it all that makes an environment? (Debian keeps ensurepip in a package apart.)
can_venv() { "$1" -c 'import venv, ensurepip' 2>/dev/null; }

# Prints the path of a usable Python, one that can make environments before one that cannot.
find_python() {
    local name found second=""
    for name in ${PYTHON:-} python3 python3.14 python3.13 python3.12 python3.11; do
        found=$(command -v "$name") || continue
        python_ok "$found" || continue
        if can_venv "$found"; then printf '%s\n' "$found"; return 0; fi
        [ -n "$second" ] || second=$found
    done
    [ -n "$second" ] && printf '%s\n' "$second"
}

ensure_python() {
    python=$(find_python) || python=""
    if [ -n "$python" ] && can_venv "$python"; then return 0; fi
    if may_install; then
        if [ -n "$python" ]; then
            install_one_of "$(version_name "$python")-venv" python3-venv || true
        else
            install_one_of python3.13 python3.12 python3.11 python3 || true
            python=$(find_python) || python=""
            [ -z "$python" ] || can_venv "$python" ||
                install_one_of "$(version_name "$python")-venv" python3-venv || true
        fi
        python=$(find_python) || python=""
    fi
    [ -n "$python" ] || fail "Python 3.11 to 3.14 was not found." \
        "Install one, for example on Debian 12 or Ubuntu 24.04 and newer:" \
        "    sudo apt-get update && sudo apt-get install -y python3 python3-venv" \
        "or name one that you have:  make setup PYTHON=/path/to/python3.12"
}

version_name() { "$1" -c 'import sys; print("python%d.%d" % sys.version_info[:2])'; }

make_venv() {
    rm -rf "$venv"
    if can_venv "$python"; then
        "$python" -m venv "$venv"
    elif "$python" -m virtualenv --version >/dev/null 2>&1; then
        "$python" -m virtualenv -q "$venv"
    elif "$python" -m pip --version >/dev/null 2>&1 && "$python" -m venv --without-pip "$venv" &&
        "$python" -m pip --python "$venv/bin/python" install -q pip; then
        :
    else
        fail "$python cannot make virtual environments." \
            "Install the missing package:" \
            "    sudo apt-get update && sudo apt-get install -y $(version_name "$python")-venv" \
            "(or python3-venv). Then run the same command again."
    fi
}

# --- a browser ----------------------------------------------------------------------------------

# For one test of `reflow explain --format html`, which is skipped where there is none.
offer_browser() {
    [ "${REFLOW_BROWSER:-no}" = yes ] || return 0
    command -v chromium >/dev/null 2>&1 && return 0
    may_install && install_one_of chromium || say "no Chromium: the test in a browser is skipped"
}

# --- all of it ----------------------------------------------------------------------------------

# What the environment in .venv was made from; a moved checkout is made anew, its scripts hold paths.
stamp() { { printf '%s\n' "$here" "$java_home"; cat requirements.lock pyproject.toml scripts/setup.sh; } | cksum; }

write_env() {
    {
        printf '# Written by scripts/setup.sh.\n'
        printf 'export JAVA_HOME=%q\n' "$java_home"
        printf 'export PYSPARK_PYTHON=%q\n' "$venv/bin/python"
        printf 'export PYSPARK_DRIVER_PYTHON=%q\n' "$venv/bin/python"
    } >"$venv/env.sh"
}

ensure_java
if [ -x "$venv/bin/reflow" ] && "$venv/bin/python" -c '' 2>/dev/null &&
    [ "$(cat "$venv/stamp" 2>/dev/null)" = "$(stamp)" ]; then
    exit 0
fi
ensure_python
offer_browser
say "Java: $java_home"
say "Python: $python"
make_venv
say "installing the locked packages into .venv (some minutes the first time)"
"$venv/bin/python" -m pip install -q --disable-pip-version-check --use-pep517 \
    --require-hashes -r requirements.lock
"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
write_env
"$venv/bin/reflow" --version
stamp >"$venv/stamp"
say "done; the command is .venv/bin/reflow"
