#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_wheel.sh: installs the library that CMake built into build/prefix, builds the wheel on it (the library is not
# compiled again) into build/wheel and installs that into build/venv. Does nothing when no input is newer than the wheel.
set -euo pipefail
cd "$(dirname "$0")/.."

stamp=build/wheel/.installed
inputs=(pyproject.toml LICENSE README.md CMakeLists.txt include python build/libbochner.a)
if [[ -f $stamp ]] && build/venv/bin/python -c 'import bochner' 2>/dev/null &&
  [[ -z $(find "${inputs[@]}" -newer "$stamp" -type f -not -path '*/tests/*' -not -path '*/__pycache__/*' -print -quit) ]]; then
  exit 0
fi

rm -rf build/prefix build/wheel
cmake --install build --prefix build/prefix >build/wheel.log
package=$(dirname "$(find "$PWD/build/prefix" -name bochnerConfig.cmake)")
echo "building the wheel (log: build/wheel.log)"
if ! SKBUILD_CMAKE_DEFINE="bochner_DIR=$package" SKBUILD_BUILD_DIR="$PWD/build/python" build/venv/bin/python -m pip wheel \
  --no-deps --no-build-isolation --no-index --disable-pip-version-check -w build/wheel . >>build/wheel.log 2>&1; then
  tail -n 40 build/wheel.log >&2
  exit 1
fi
build/venv/bin/python -m pip install --quiet --no-deps --no-index --force-reinstall --disable-pip-version-check \
  build/wheel/bochner-*.whl
touch "$stamp"
