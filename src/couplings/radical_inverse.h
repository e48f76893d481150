// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bochner {

/// 2, 3, 5, ...: the first `count` primes, by a sieve.
std::vector<std::uint64_t> first_primes(std::size_t count);

/// The digits of n in base b mirrored at the point, n = sum_k a_k b^k -> sum_k a_k b^(-k-1), in [0, 1) as the first 52
/// binary digits of its nearest double. n b < 2^53.
std::uint64_t radical_inverse(std::uint64_t n, std::uint64_t b);

}  // namespace bochner
