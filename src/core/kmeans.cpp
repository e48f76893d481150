// SPDX-License-Identifier: Apache-2.0
#include "core/kmeans.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "core/stream.h"

namespace bochner {
namespace {

constexpr std::size_t kSample = 8192, kBatch = 1024, kMostSteps = 50, kRowsPerBlock = 256;

/// Four sums, so that additions do not wait for each other; their order is fixed.
double squared_distance(std::span<const double> x, std::span<const double> y) {
  double sums[4] = {0, 0, 0, 0};
  for (std::size_t l = 0; l < x.size(); ++l) sums[l % 4] += (x[l] - y[l]) * (x[l] - y[l]);
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

Matrix<double> sample(const ClusterData& data, const Stream& stream) {
  const std::size_t n = std::min(data.rows, kSample);
  Matrix<double> X(n, data.d);
  if (n == data.rows) {
    data.read(0, X.view());
    return X;
  }
  const double stretch = static_cast<double>(data.rows) / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) + stream.uniform(1, i)) * stretch;
    data.read(std::min(static_cast<std::size_t>(place), data.rows - 1), X.view().row_range(i, i + 1));
  }
  return X;
}

/// The row at which the cumulative sum of the distances passes `total u`.
std::size_t pick(const std::vector<double>& distances, double total, double u) {
  double left = total * u;
  std::size_t last = 0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] == 0) continue;
    last = i;
    left -= distances[i];
    if (left < 0) break;
  }
  return last;
}

[[noreturn]] void refuse_rows(std::string_view rows, std::size_t found, std::string_view kind, std::size_t k) {
  throw std::invalid_argument(
      fmt::format("{} has {} {}row{}; expected at least {}, one for each cluster ('clusters' says how many)", rows,
                  found, kind, found == 1 ? "" : "s", k));
}

Matrix<double> first_centres(MatrixView<const double> X, std::size_t k, const Stream& stream, std::string_view rows) {
  Matrix<double> centres(k, X.cols());
  std::vector<double> distances(X.rows(), std::numeric_limits<double>::infinity());
  std::size_t chosen =
      std::min(static_cast<std::size_t>(stream.uniform(0, 0) * static_cast<double>(X.rows())), X.rows() - 1);
  for (std::size_t c = 0; c < k; ++c) {
    std::ranges::copy(X.row(chosen), centres.view().row(c).begin());
    if (c + 1 == k) break;
    parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i)
        distances[i] = std::min(distances[i], squared_distance(X.row(i), centres.view().row(c)));
    });
    double total = 0;
    for (const double distance : distances) total += distance;
    if (total == 0) refuse_rows(rows, c + 1, "different ", k);
    chosen = pick(distances, total, stream.uniform(0, c + 1));
  }
  return centres;
}

/// Assigns every row to its nearest centre; returns whether any assignment changed.
bool assign(MatrixView<const double> X, MatrixView<const double> centres, std::vector<std::size_t>& nearest) {
  std::vector<char> changed(X.rows() / kRowsPerBlock + 1, 0);
  parallel_for(X.rows(), kRowsPerBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::size_t centre = nearest_centre(centres, X.row(i));
      if (centre == nearest[i]) continue;
      nearest[i] = centre;
      changed[first / kRowsPerBlock] = 1;
    }
  });
  return std::ranges::find(changed, 1) != changed.end();
}

std::vector<std::size_t> sizes_of(const std::vector<std::size_t>& nearest, std::size_t k) {
  std::vector<std::size_t> sizes(k, 0);
  for (const std::size_t centre : nearest) ++sizes[centre];
  return sizes;
}

/// Every empty cluster takes the row that is farthest from its centre among the clusters with other rows.
void fill_empty(MatrixView<const double> X, MatrixView<const double> centres, std::vector<std::size_t>& nearest) {
  std::vector<std::size_t> sizes = sizes_of(nearest, centres.rows());
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] != 0) continue;
    std::size_t farthest = X.rows();
    double largest = -1;
    for (std::size_t i = 0; i < X.rows(); ++i) {
      const double distance = squared_distance(X.row(i), centres.row(nearest[i]));
      if (sizes[nearest[i]] < 2 || distance <= largest) continue;
      largest = distance;
      farthest = i;
    }
    --sizes[nearest[farthest]];
    nearest[farthest] = c;
    sizes[c] = 1;
  }
}

void move_to_means(MatrixView<const double> X, const std::vector<std::size_t>& nearest, MatrixView<double> centres) {
  const std::vector<std::size_t> sizes = sizes_of(nearest, centres.rows());
  for (std::size_t c = 0; c < centres.rows(); ++c) std::ranges::fill(centres.row(c), 0.0);
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) centres(nearest[i], l) += X(i, l);
  for (std::size_t c = 0; c < centres.rows(); ++c)
    for (double& entry : centres.row(c)) entry /= static_cast<double>(sizes[c]);
}

void pass_over_all(const ClusterData& data, std::vector<std::size_t> counts, MatrixView<double> centres) {
  Matrix<double> memory(std::min(kBatch, data.rows), data.d);
  std::vector<std::size_t> nearest(kBatch);
  for (std::size_t first = 0; first < data.rows; first += kBatch) {
    const MatrixView<double> X = memory.view().row_range(0, std::min(kBatch, data.rows - first));
    data.read(first, X);
    nearest.resize(X.rows());
    assign(X, centres, nearest);
    for (std::size_t i = 0; i < X.rows(); ++i) {
      const double share = 1 / static_cast<double>(++counts[nearest[i]]);
      for (std::size_t l = 0; l < data.d; ++l) centres(nearest[i], l) += share * (X(i, l) - centres(nearest[i], l));
    }
  }
}

}  // namespace

std::size_t nearest_centre(MatrixView<const double> centres, std::span<const double> x) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < centres.rows(); ++c) {
    const double distance = squared_distance(x, centres.row(c));
    if (distance >= least) continue;
    least = distance;
    best = c;
  }
  return best;
}

Matrix<double> kmeans(const ClusterData& data, std::size_t k, std::uint64_t seed, std::string_view rows) {
  if (k > kSample) refuse("clusters", fmt::format("{}", k), fmt::format("at most {}", kSample));
  if (k > data.rows) refuse_rows(rows, data.rows, "", k);
  const Stream stream(seed, Purpose::cluster_seeds);
  const Matrix<double> X = sample(data, stream);
  Matrix<double> centres = first_centres(X, k, stream, rows);
  std::vector<std::size_t> nearest(X.rows(), k);
  for (std::size_t step = 0; step < kMostSteps && assign(X, centres, nearest); ++step) {
    fill_empty(X, centres, nearest);
    move_to_means(X, nearest, centres);
  }
  if (X.rows() < data.rows) pass_over_all(data, sizes_of(nearest, k), centres.view());
  return centres;
}

}  // namespace bochner
