// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace bochner::simd {

/// Columns of a panel on the current target: two vectors.
template <class T>
std::size_t panel_columns();

/// Rows that a product takes at once; its number of rows must be a multiple of this.
inline constexpr std::size_t kProductRows = 6;

/// C (+)= A B, with B and C in panels of panel_columns<T>() columns:
///   A(i, k) = A[i row_step + k depth_step],  B(k, p, c) = B[p B_panel_step + k columns + c],
///   C(i, p, c) = C[i C_row_step + p C_panel_step + c],
/// B and C lie at 64-byte boundaries, and their steps are multiples of panel_columns. `resume` adds to what C holds.
/// Every number of C is one chain of fused multiply-adds over k in order, so its bits depend only on its row of A and
/// its column of B, and a product may be split anywhere in k. 2 rows depth panels columns flops.
template <class T>
struct PanelProduct {
  std::size_t rows, depth, panels;
  const T* A;
  std::size_t row_step, depth_step;
  const T* B;
  std::size_t B_panel_step;
  bool resume;
  T* C;
  std::size_t C_row_step, C_panel_step;
};

template <class T>
void multiply(const PanelProduct<T>& product);

}  // namespace bochner::simd
