// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// A panel holds kPanel rows side by side, one cache line per coordinate: number (row r, coordinate j) is
/// panel[j * kPanel + r]. Operations on a panel treat each row separately, so the bits of a row do not depend on its
/// neighbours, and no step needs a shuffle for any length. Panels are 64-byte aligned.
template <class T>
inline constexpr std::size_t kPanel = 64 / sizeof(T);

/// The panel of the rows of X (at most kPanel): coordinate j becomes line j, and rows missing from X are zero.
template <class T>
void pack_panel(MatrixView<const T> X, T* panel);

/// Rows of P (at most kPanel) from a panel, with line j multiplied by factors[j] (a single factor serves all lines).
template <class T>
void unpack_panel(const T* panel, std::span<const T> factors, MatrixView<T> P);

/// log2(size) layers of size / 2 plane rotations, in place; size is a power of two. Layers pair lines whose indices
/// differ in one bit, from the lowest to the highest: (a, b) -> (c a - s b, s a + c b). `turns` holds size log2(size)
/// numbers, the pairs (c, s) in the order of the rotations: one layer first if their number is odd, then two layers per
/// pass over the panel (four rotations for every four lines). 3 log2(size) flops per number.
template <class T>
void rotate_lines(std::span<const T> turns, std::size_t size, T* panel);

/// out_i = sum_j taps[size - 1 + i - j] in_j, i < rows: a Toeplitz product with 2 size - 1 taps. 2 size flops per
/// number; `in` and `out` are different panels of `size` and `rows` lines.
template <class T>
void toeplitz_lines(std::span<const T> taps, std::size_t size, const T* in, std::size_t rows, T* out);

}  // namespace bochner::simd
