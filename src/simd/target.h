// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bochner::simd {

/// Instruction sets that this build has and this machine can run, best first, e.g. {"AVX2", "SSE4", "SSSE3", "EMU128"}.
std::vector<std::string> targets();

/// The instruction set in use: the best, or the one named by the environment variable BOCHNER_FORCE_TARGET (read once;
/// a name that is not in targets() throws std::invalid_argument). Every entry point of this folder calls this first.
const std::string& current_target();

}  // namespace bochner::simd
