// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "couplings/coupling.h"

namespace bochner {

/// Numbers of [0, 1) as 52 binary digits, the first digit after the point in bit 51.
inline constexpr unsigned kNetDigits = 52;

/// One coordinate of a digital net in base 2: for point n, the xor of columns[k] over the set bits k of n, then xor the
/// shift.
struct NetCoordinate {
  std::vector<std::uint64_t> columns;
  std::uint64_t shift = 0;

  std::uint64_t point(std::uint64_t n) const;
};

/// The number of dimensions that have direction numbers.
inline constexpr std::size_t kSobolDimensions = 3667;

/// The first d <= kSobolDimensions coordinates of the Sobol sequence with the direction numbers of Joe & Kuo (2008),
/// for points 0 .. 2^columns - 1, columns <= 52. Points are in the natural order of n (not of its Gray code), which
/// gives the same set for every power of two. O(d columns^2).
std::vector<NetCoordinate> sobol_net(std::size_t d, unsigned columns);

/// Matousek's (1998) linear scramble of coordinate j: the columns are multiplied by a random lower triangular matrix of
/// bits with ones on its diagonal, and a random shift makes every point uniform on the 2^52 numbers. Both keep the
/// number of points in every elementary interval.
void scramble(std::uint64_t seed, std::uint64_t j, NetCoordinate& coordinate);

/// 2, 3, 5, ...: the first `count` primes, by a sieve.
std::vector<std::uint64_t> first_primes(std::size_t count);

/// The digits of n in base b, mirrored at the point: n = sum_k a_k b^k -> sum_k a_k b^(-k-1), in [0, 1), as the first
/// 52 binary digits of the nearest double. n b < 2^53.
std::uint64_t radical_inverse(std::uint64_t n, std::uint64_t b);

/// W from points of the unit cube: entry (i, j) is the law's quantile of (digits(i, j) + 1/2) 2^-52, so a point that is
/// uniform on the 2^52 numbers of each coordinate gives a row of the product law. W is stored: O(m d).
std::unique_ptr<Projection> project_on_cube_points(
    const DrawRequest& request, const std::function<std::uint64_t(std::size_t i, std::size_t j)>& digits);

}  // namespace bochner
