#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# bootstrap.sh GROUP...: installs what is missing of the groups build, python, test, bench, lint, arm64, and says nothing when
# nothing is. Debian packages (apt-packages.txt) go in as root or with sudo; Python packages into build/venv. Exits with 2
# and the line to run where it may not install. BOCHNER_SKIP_APT=1 leaves the system to the user.
set -euo pipefail
cd "$(dirname "$0")/.."

log=build/bootstrap.log
venv=build/venv
groups=("$@")

in_groups() { [[ " ${groups[*]} " == *" $1 "* ]]; }

# Runs a command with its output in the log; on failure shows the end of the log.
logged() {
  mkdir -p build
  echo "+ $*" >>"$log"
  if ! "$@" >>"$log" 2>&1 </dev/null; then
    tail -n 25 "$log" >&2
    echo "bootstrap: '$*' failed; the whole log is in $log" >&2
    exit 1
  fi
}

# The packages of the groups that dpkg does not have, one per line, with the ? of optional ones.
missing_packages() {
  local installed group entry name
  installed=$(dpkg-query -W -f '${db:Status-Abbrev}${Package}\n' | sed -n 's/^ii //p')
  while read -r group entry; do
    in_groups "$group" || continue
    for name in ${entry//|/ }; do
      grep -qxF "${name%\?}" <<<"$installed" && continue 2
    done
    echo "${entry%%|*}"
  done < <(grep -v '^#' scripts/apt-packages.txt)
}

# Whether apt has the package itself, not a note that points elsewhere (Ubuntu's chromium is a snap).
available() { apt-cache show "$1" 2>/dev/null | grep -q '^Filename:'; }

install_packages() {
  local missing wanted=() entry as_root=()
  mapfile -t missing < <(missing_packages)
  # An optional package that apt did not have is not looked for again until the list changes.
  if [[ -f build/.apt-without && build/.apt-without -nt scripts/apt-packages.txt ]]; then
    mapfile -t missing < <(printf '%s\n' "${missing[@]}" | grep -vxFf build/.apt-without)
  fi
  ((${#missing[@]})) && [[ -n ${missing[0]} ]] || return 0
  if ((EUID != 0)); then
    if ! sudo -n true 2>/dev/null && ! { [[ -t 0 ]] && command -v sudo >/dev/null; }; then
      for entry in "${missing[@]}"; do
        if [[ $entry != *\? ]] || available "${entry%\?}"; then wanted+=("$entry"); fi
      done
      ((${#wanted[@]})) || return 0
      echo "bootstrap: missing Debian packages. Run this, then the command again:" >&2
      echo "  sudo apt-get install --no-install-recommends ${wanted[*]%\?}" >&2
      exit 2
    fi
    as_root=(sudo)
  fi
  echo "bootstrap: installing ${missing[*]%\?} (log: $log)"
  logged "${as_root[@]}" apt-get update
  for entry in "${missing[@]}"; do
    if [[ $entry == *\? ]] && ! available "${entry%\?}"; then
      echo "bootstrap: no package ${entry%\?} here; the tests that need it will skip"
      echo "$entry" >>build/.apt-without
    else
      wanted+=("${entry%\?}")
    fi
  done
  ((${#wanted[@]})) || return 0
  logged "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${wanted[@]}"
}

make_venv() {
  [[ -x $venv/bin/pip ]] && "$venv/bin/python" -c '' 2>/dev/null && return
  mkdir -p build
  rm -rf "$venv"
  if ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    echo "bootstrap: $(command -v python3) is $(python3 --version); 3.10 or newer is needed" >&2
    exit 2
  fi
  if ! python3 -m venv "$venv" >>"$log" 2>&1; then
    rm -rf "$venv"
    echo "bootstrap: 'python3 -m venv' failed with $(command -v python3); on Debian or Ubuntu: apt-get install python3-venv" >&2
    exit 2
  fi
}

# The Python packages of the groups: what pyproject.toml needs to build, what the tests and the linter need.
requirements() {
  if in_groups python && [[ -f pyproject.toml ]]; then
    python3 -c 'import re
table = re.search(r"^\[build-system\]$(.*?)^\[", open("pyproject.toml").read() + "\n[", re.M | re.S)[1]
array = re.search(r"^requires\s*=\s*\[(.*?)\]", table, re.M | re.S)[1]
print(*(a or b for a, b in re.findall(r"\"([^\"]*)\"|\x27([^\x27]*)\x27", array)), sep="\n")'
  fi
  if in_groups test && [[ -f python/requirements-test.txt ]]; then cat python/requirements-test.txt; fi
  if in_groups bench; then cat bench/requirements.txt; fi
  if in_groups lint; then cat scripts/requirements-lint.txt; fi
}

install_requirements() {
  local wanted stamp
  wanted=$(requirements | grep -v '^#' || true)
  [[ -n $wanted ]] || return 0
  make_venv
  stamp=$venv/.has-$(cksum <<<"$wanted" | tr ' ' -)
  [[ -f $stamp ]] && return
  echo "bootstrap: installing Python packages into $venv (log: $log)"
  printf '%s\n' "$wanted" >"$venv/requirements.txt"
  logged "$venv/bin/python" -m pip install --disable-pip-version-check -r "$venv/requirements.txt"
  touch "$stamp"
}

if [[ -z ${BOCHNER_SKIP_APT:-} ]]; then
  if command -v apt-get >/dev/null; then
    install_packages
  elif [[ ! -f build/.no-apt ]]; then
    echo "bootstrap: no apt-get here; see scripts/apt-packages.txt for what is needed" >&2
    mkdir -p build && touch build/.no-apt
  fi
fi
install_requirements
