// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "features/resolved.h"

namespace bochner {

/// The block D >= d whose closed form gives the smallest error at distance one: |x - y| = 1 lengthscale for Fourier and
/// sign maps, |x + y| = 1 for exponential maps, whose errors depend on that alone. For hybrids, which may make no error
/// for parallel inputs, x and y are also at a right angle. Candidates: d (or its power of two), the sizes that split
/// the m rows into up to 32 equal blocks, and powers of two below 2m, as far as memory holds them. For m <= d padding
/// gains nothing. The choice costs at most 90 closed forms; the larger block costs a draw of O(d^2 D) flops and 8 d D
/// bytes.
std::size_t best_block(const Resolved& chosen);

}  // namespace bochner
