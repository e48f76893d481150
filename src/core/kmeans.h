// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "bochner/matrix.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Rows of a data set.
struct ClusterData {
  std::size_t rows;
  std::size_t d;
  /// Rows [first, first + out.rows()). May be called by many threads at once.
  std::function<void(std::size_t first, MatrixView<double> out)> read;
};

/// k centres (k x d) with a small mean squared distance of a row to its nearest one.
///
/// Centres are chosen by k-means++ (Arthur & Vassilvitskii, 2007: each with probability proportional to its squared
/// distance from those chosen before) among at most 8192 rows, one from each of as many equal stretches of the data. At
/// most 50 of Lloyd's steps then improve them, until nothing changes. A centre left without rows moves to the row that
/// is farthest from its own centre. Where there are more rows, one pass over all of them follows, in batches of 1024:
/// each row moves its centre by 1 / (rows of that centre so far) of their distance (Sculley, 2010).
/// The same bits on every machine and for any number of threads. O(8192 k d) a step, O(n k d) for the pass.
/// Throws std::invalid_argument for more centres than rows or than different rows; `rows` names them in the message.
Matrix<double> kmeans(const ClusterData& data, std::size_t k, std::uint64_t seed, std::string_view rows);

/// The index of the nearest centre, the first of equally near ones.
std::size_t nearest_centre(MatrixView<const double> centres, std::span<const double> x);

}  // namespace bochner
