// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bochner {

/// min(n, most) different row numbers below n in increasing order; every such set is equally likely (to n 2^-64). All
/// of them, without a draw, when n <= most. Floyd's algorithm (Bentley & Floyd, 1987): O(most log most) for any n.
std::vector<std::size_t> sample_rows(std::size_t n, std::size_t most, std::uint64_t seed);

}  // namespace bochner
