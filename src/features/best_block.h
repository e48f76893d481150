// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "features/resolved.h"

namespace bochner {

/// The block D >= d with the smallest error of the closed form at distance one (|x - y| = 1 lengthscale for Fourier and
/// sign maps, |x + y| = 1 for exponential ones, whose errors depend on that alone; both at a right angle for hybrids,
/// which may make no error for parallel inputs). Candidates: d (or its power of two), the sizes that split the m rows
/// into up to 32 equal blocks, and powers of two up to m, as far as memory holds them. For m <= d nothing is gained by
/// padding. Cost of the choice: at most 90 closed forms; of the larger block: a draw of O(d^2 D) flops and 8 d D bytes.
std::size_t best_block(const Resolved& chosen);

}  // namespace bochner
