// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"

namespace bochner {

/// |x - y|^2 in double, the same bits on every machine.
template <class T>
double squared_distance(std::span<const T> x, std::span<const T> y);

/// The squared distance of every query row of X to its `order`-th nearest other row of X (1 = nearest; equal rows
/// count, each with distance 0), 1 <= order < X.rows().
///
/// Rows are ranked by |x|^2 - 2 q.x, with x and q centred on the mean of the queries; this is a matrix product. The
/// distance to the row found is then computed from differences, so it has full precision and equal rows are at distance
/// 0. Where several rows are at nearly the same distance, the row found may not be the right one, but its squared
/// distance is off by at most about d 2^-51 times the largest |x|^2. 2 n d flops per query on all threads.
template <class T>
std::vector<double> nearest_squared_distances(MatrixView<const T> X, std::span<const std::size_t> queries,
                                              std::size_t order);

}  // namespace bochner
