#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# arm64_libraries.sh: unpacks the libraries that Bochner links, as Debian builds them for arm64, into build/arm64/root.
# Nothing on the system changes: apt keeps its lists and files below build/arm64. Does nothing when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/build/arm64
root=$folder/root
[[ -f $root/.complete ]] && exit 0
if [[ $(dpkg --print-architecture) == arm64 ]]; then
  echo "arm64: this machine is one; run make test" >&2
  exit 2
fi

mkdir -p "$folder/apt/lists/partial" "$folder/apt/archives/partial"
touch "$folder/apt/status"
arm64_apt() {
  apt-get -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
    -o Dir::State="$folder/apt" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" "$@" \
    >>"$folder/apt.log" 2>&1 || {
    tail -n 5 "$folder/apt.log" >&2
    echo "arm64: 'apt-get $1' failed; the whole log is in $folder/apt.log" >&2
    exit 1
  }
}

# What the groups build and test link or include; the compiler and its C library are those of the cross compiler.
packages=(libopenblas-pthread-dev libhwy-dev librandom123-dev libboost-dev libfmt-dev nlohmann-json3-dev libcli11-dev
  zlib1g-dev libgtest-dev)
echo "arm64: fetching libraries (log: $folder/apt.log)"
arm64_apt update
arm64_apt install --download-only --yes --no-install-recommends "${packages[@]}"
rm -rf "$root"
for file in "$folder"/apt/archives/*.deb; do
  case ${file##*/} in
    libc6* | libc-dev* | linux-libc* | libcrypt* | gcc-* | g++* | cpp* | lib*-12-dev* | lib*-13-dev* | lib*-14-dev*) ;;
    *) dpkg-deb --extract "$file" "$root" ;;
  esac
done
touch "$root/.complete"
