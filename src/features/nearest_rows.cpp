// SPDX-License-Identifier: Apache-2.0
#include "features/nearest_rows.h"

#include <algorithm>
#include <array>
#include <utility>

#include "bochner/matrix.h"
#include "core/parallel.h"
#include "simd/project.h"

namespace bochner {
namespace {

constexpr std::size_t kQueriesPerBlock = 32;
constexpr std::size_t kRowsPerChunk = 96;

/// The `order` smallest (key, row) seen so far; the largest of them is in front.
class SmallestKeys {
 public:
  explicit SmallestKeys(std::size_t order) : order_(order) {}

  void offer(double key, std::size_t row) {
    const std::pair candidate(key, row);
    if (heap_.size() == order_) {
      if (!(candidate < heap_.front())) return;
      std::ranges::pop_heap(heap_);
      heap_.pop_back();
    }
    heap_.push_back(candidate);
    std::ranges::push_heap(heap_);
  }
  std::size_t last_row() const { return heap_.front().second; }

 private:
  std::size_t order_;
  std::vector<std::pair<double, std::size_t>> heap_;
};

template <class T>
std::vector<double> mean_row(MatrixView<const T> X, std::span<const std::size_t> rows) {
  std::vector<double> mean(X.cols(), 0.0);
  for (const std::size_t i : rows)
    for (std::size_t j = 0; j < X.cols(); ++j) mean[j] += static_cast<double>(X(i, j));
  for (double& entry : mean) entry /= static_cast<double>(rows.size());
  return mean;
}

/// out = x - mean; returns |out|^2.
template <class T>
double centre(std::span<const T> x, std::span<const double> mean, std::span<double> out) {
  double norm = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    out[j] = static_cast<double>(x[j]) - mean[j];
    norm += out[j] * out[j];
  }
  return norm;
}

/// Offers every row of X to every query of a block.
template <class T>
void rank_rows(MatrixView<const T> X, std::span<const std::size_t> queries, std::span<const double> mean,
               std::span<SmallestKeys> nearest) {
  Matrix<double> centred(queries.size(), X.cols());
  for (std::size_t q = 0; q < queries.size(); ++q) centre<T>(X.row(queries[q]), mean, centred.view().row(q));
  const simd::PackedRows<double> packed(centred.view());
  Matrix<double> rows(kRowsPerChunk, X.cols()), products(kRowsPerChunk, queries.size());
  std::array<double, kRowsPerChunk> norms;
  const simd::Finish<double> minus_two = {.shape = simd::Shape::linear, .scale = -2.0};
  for (std::size_t first = 0; first < X.rows(); first += kRowsPerChunk) {
    const std::size_t n = std::min(kRowsPerChunk, X.rows() - first);
    for (std::size_t i = 0; i < n; ++i) norms[i] = centre<T>(X.row(first + i), mean, rows.view().row(i));
    simd::project<double>(packed, rows.view().row_range(0, n), minus_two, products.view().row_range(0, n),
                          simd::Rounding::separate);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t q = 0; q < queries.size(); ++q)
        if (queries[q] != first + i) nearest[q].offer(norms[i] + products(i, q), first + i);
  }
}

}  // namespace

template <class T>
double squared_distance(std::span<const T> x, std::span<const T> y) {
  std::array<double, 4> sums = {};  // four chains of additions instead of one: an addition need not wait for the last
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double difference = static_cast<double>(x[j]) - static_cast<double>(y[j]);
    sums[j % 4] += difference * difference;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class T>
std::vector<double> nearest_squared_distances(MatrixView<const T> X, std::span<const std::size_t> queries,
                                              std::size_t order) {
  const std::vector<double> mean = mean_row<T>(X, queries);
  std::vector<double> distances(queries.size());
  parallel_for(queries.size(), kQueriesPerBlock, [&](std::size_t first, std::size_t last) {
    std::vector<SmallestKeys> nearest(last - first, SmallestKeys(order));
    rank_rows<T>(X, queries.subspan(first, last - first), mean, nearest);
    for (std::size_t q = first; q < last; ++q)
      distances[q] = squared_distance<T>(X.row(queries[q]), X.row(nearest[q - first].last_row()));
  });
  return distances;
}

template double squared_distance(std::span<const float>, std::span<const float>);
template double squared_distance(std::span<const double>, std::span<const double>);
template std::vector<double> nearest_squared_distances(MatrixView<const float>, std::span<const std::size_t>,
                                                       std::size_t);
template std::vector<double> nearest_squared_distances(MatrixView<const double>, std::span<const std::size_t>,
                                                       std::size_t);

}  // namespace bochner
