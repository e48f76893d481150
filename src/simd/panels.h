// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include "bochner/matrix_view.h"

namespace bochner::simd {

/// A panel holds kPanel rows side by side, one cache line per coordinate: number (row r, coordinate j) is
/// panel[j * kPanel + r]. What is done to a panel is done to each row apart, so the bits of a row do not depend on its
/// neighbours, and no step needs a shuffle, whatever the length. Panels are 64-byte aligned.
template <class T>
inline constexpr std::size_t kPanel = 64 / sizeof(T);

/// Panel of the rows of X (at most kPanel), coordinate j at line j; lines of rows that X does not have are zero.
template <class T>
void pack_panel(MatrixView<const T> X, T* panel);

/// Rows of P (at most kPanel) from a panel, line j multiplied by factors[j] (one factor: the same for all).
template <class T>
void unpack_panel(const T* panel, std::span<const T> factors, MatrixView<T> P);

/// log2(size) layers of size / 2 plane rotations, in place; size is a power of two. Layers pair lines whose numbers
/// differ in one bit, from the lowest to the highest: (a, b) -> (c a - s b, s a + c b). `turns` holds size log2(size)
/// numbers, (c, s) in the order in which rotations are done: two layers in one pass over the panel (four rotations for
/// each four lines), after a single one if their number is odd. 3 log2(size) flops per number.
template <class T>
void rotate_lines(std::span<const T> turns, std::size_t size, T* panel);

/// out_i = sum_j taps[size - 1 + i - j] in_j, i < rows: a Toeplitz product with 2 size - 1 taps. 2 size flops per
/// number; `in` and `out` are different panels of `size` and `rows` lines.
template <class T>
void toeplitz_lines(std::span<const T> taps, std::size_t size, const T* in, std::size_t rows, T* out);

}  // namespace bochner::simd
