// SPDX-License-Identifier: Apache-2.0
// Prints the instruction sets the tests can be run on, one per line, best first (see BOCHNER_FORCE_TARGET).
#include <cstdio>

#include "simd/target.h"

int main() {
  for (const auto& name : bochner::simd::targets()) std::puts(name.c_str());
}
