// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// Every row q of P becomes diag(factors) S q, r = P.cols() >= 2, in O(r): the rows of S are the r unit vectors from
/// the centre of a regular simplex to its vertices, so with s = sum_{i<r} q_i / sqrt(r-1)
///   y_i = f_i (sqrt(r/(r-1)) q_i - (sqrt(r)+1)/(r-1) s) for i < r,   y_r = f_r s.
/// Either one factor for all, or r. Sums have a fixed order and every operation is rounded separately: the bits are the
/// same on every instruction set. Error of s at most (r/32 + 5) u sum |q_i| / sqrt(r-1).
template <class T>
void simplex_rows(MatrixView<T> P, std::span<const T> factors);

}  // namespace bochner::simd
