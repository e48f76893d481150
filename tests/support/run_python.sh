#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# run_python.sh PYTHON ARGUMENTS...: runs them; exits with 77 (skipped) where PYTHON has no bochner, unless
# BOCHNER_REQUIRE_PYTHON says that it must.
if ! "$1" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("bochner") is None)' 2>/dev/null; then
  echo "$1 has no package bochner: run make python"
  [ -n "$BOCHNER_REQUIRE_PYTHON" ] && exit 1
  exit 77
fi
exec "$@"
