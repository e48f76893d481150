// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "attention/attention_features.h"
#include "attention/exact_rows.h"
#include "attention/transport.h"
#include "bochner/matrix.h"

namespace bochner {

/// Rows of an array in the order of a pass.
template <class T>
struct Ordered {
  MatrixView<T> rows;
  bool reversed;
  std::span<T> operator[](std::size_t i) const { return rows.row(reversed ? rows.rows() - 1 - i : i); }
};

/// A chunk of queries or keys with its exponents and log factors.
template <class T>
struct LoadedRows {
  const HeadFeatures& head;
  Matrix<T> X, E;
  std::vector<double> log_factor;
  std::vector<bool> kept;
  ExactRows<T> exact = {};
  LogRows<T> view() { return {head, E.view(), exact, log_factor, kept}; }
};

/// Loads rows from `first` on, as many as `kept` has flags; rows that are not kept are not read.
template <class T>
LoadedRows<T> load_rows(const HeadFeatures& head, const Ordered<const T>& rows, std::size_t first,
                        std::vector<bool> kept, Side side) {
  const std::size_t n = kept.size(), m = head.features->outputs();
  LoadedRows<T> loaded{head, Matrix<T>(n, rows.rows.cols(), T(0)), Matrix<T>(n, m), std::vector<double>(n),
                       std::move(kept)};
  for (std::size_t i = 0; i < n; ++i)
    if (loaded.kept[i]) std::ranges::copy(rows[first + i], loaded.X.view().row(i).begin());
  head.features->transform_log(loaded.X, loaded.E, loaded.log_factor, side);
  loaded.exact.load(head, loaded.X, loaded.E, loaded.log_factor, side);
  const T slope = static_cast<T>(head.slope);
  for (std::size_t i = 0; i < n; ++i) {
    if (loaded.exact.has(i)) loaded.log_factor[i] = loaded.exact.log_factor(i);
    for (std::size_t j = 0; j < m; ++j) loaded.E(i, j) = slope * loaded.E(i, j) + static_cast<T>(head.offset[j]);
  }
  return loaded;
}

}  // namespace bochner
