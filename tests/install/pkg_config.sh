#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pkg_config.sh COMPILER PREFIX OUTPUT: compiles, links and runs the consumer with what pkg-config says of PREFIX.
set -eu
here=$(dirname "$0")
package=$(find "$2" -name bochner.pc)
export PKG_CONFIG_PATH="$(dirname "$package")${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
# Word splitting is what a Makefile would do with these flags.
# shellcheck disable=SC2046
"$1" -std=c++20 -o "$3" "$here/consumer.cpp" $(pkg-config --cflags --libs bochner)
LD_LIBRARY_PATH="$(pkg-config --variable=libdir bochner)${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "$3"
