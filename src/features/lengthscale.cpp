// SPDX-License-Identifier: Apache-2.0
#include "bochner/lengthscale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/errors.h"
#include "core/parallel.h"
#include "features/nearest_rows.h"
#include "features/sample_rows.h"

namespace bochner {
namespace {

constexpr std::array<std::string_view, 3> kRules = {"scale", "median", "neighbour"};
constexpr std::size_t kSample = 1000;
constexpr std::size_t kNeighbour = 50;
constexpr double kLargest = 1e150;  // its square times any number of columns is finite
constexpr double kSmallest = 1e-150;

/// Sum of block_sum(first, last) over fixed blocks of rows in fixed order.
template <class BlockSum>
double sum_blocks(std::size_t n, std::size_t d, const BlockSum& block_sum) {
  const std::size_t block = std::max<std::size_t>(1, (std::size_t{1} << 14) / d);
  std::vector<double> sums((n + block - 1) / block);
  parallel_for(n, block, [&](std::size_t first, std::size_t last) { sums[first / block] = block_sum(first, last); });
  double total = 0.0;
  for (const double sum : sums) total += sum;
  return total;
}

template <class T>
void check_entry(T value, std::size_t row, std::size_t column) {
  const double magnitude = std::abs(static_cast<double>(value));
  if (magnitude <= kLargest) return;
  throw std::invalid_argument(fmt::format("X has {} at row {}, column {}; expected {}", value, row, column,
                                          std::isfinite(magnitude) ? "|x| <= 1e150" : "a finite number"));
}

/// The mean of all entries; each entry is checked and refused if it is out of range.
template <class T>
double checked_mean(MatrixView<const T> X) {
  const double total = sum_blocks(X.rows(), X.cols(), [&](std::size_t first, std::size_t last) {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < X.cols(); ++j) {
        check_entry(X(i, j), i, j);
        sum += static_cast<double>(X(i, j));
      }
    return sum;
  });
  return total / static_cast<double>(X.rows()) / static_cast<double>(X.cols());
}

/// Whether all entries are equal: a rounded mean would give constant data a variance.
template <class T>
bool constant(MatrixView<const T> X) {
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (const T value : X.row(i))
      if (value != X(0, 0)) return false;
  return true;
}

template <class T>
double scale_of(MatrixView<const T> X, double mean) {
  if (constant(X)) return std::sqrt(0.5);
  const double total = sum_blocks(X.rows(), X.cols(), [&](std::size_t first, std::size_t last) {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i)
      for (const T value : X.row(i)) {
        const double difference = static_cast<double>(value) - mean;
        sum += difference * difference;
      }
    return sum;
  });
  return std::sqrt(total / static_cast<double>(X.rows()) / 2);
}

template <class T>
double median_distance(MatrixView<const T> X, std::uint64_t seed) {
  const std::vector<std::size_t> rows = sample_rows(X.rows(), kSample, seed);
  const std::size_t pairs = rows.size() * (rows.size() - 1) / 2;
  std::vector<double> squares(pairs);
  parallel_for(rows.size(), 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      for (std::size_t j = 0; j < i; ++j)
        squares[i * (i - 1) / 2 + j] = squared_distance<T>(X.row(rows[i]), X.row(rows[j]));
  });
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(pairs / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  if (pairs % 2 == 1) return std::sqrt(*middle);
  return (std::sqrt(*std::max_element(squares.begin(), middle)) + std::sqrt(*middle)) / 2;
}

template <class T>
double neighbour_distance(MatrixView<const T> X, std::uint64_t seed) {
  const std::vector<std::size_t> rows = sample_rows(X.rows(), kSample, seed);
  double total = 0.0;
  for (const double square : nearest_squared_distances<T>(X, rows, std::min(kNeighbour, X.rows() - 1)))
    total += std::sqrt(square);
  return total / static_cast<double>(rows.size());
}

void check_shape(std::size_t n, std::size_t d, std::string_view rule) {
  const std::size_t least = rule == "scale" ? 1 : 2;
  if (d == 0) refuse("X", fmt::format("{} x 0", n), "at least one column");
  if (n < least)
    refuse("X", fmt::format("{} x {}", n, d),
           fmt::format("at least {} row{} for lengthscale '{}'", least, least == 1 ? "" : "s", rule));
}

[[noreturn]] void refuse_degenerate(std::string_view rule, double sigma) {
  const char* cause = sigma > 0 || rule == "scale" ? "the rows of X differ by less"
                      : rule == "median"           ? "half of the pairs of rows of X or more are equal"
                                                   : "every row of X has too many equals";
  refuse(fmt::format("lengthscale '{}'", rule), fmt::format("{:.6g}", sigma),
         fmt::format("at least 1e-150, but {}; give a number", cause));
}

}  // namespace

template <class T>
double lengthscale_from(MatrixView<const T> X, std::string_view rule, std::uint64_t seed) {
  if (std::ranges::find(kRules, rule) == kRules.end()) refuse_name("lengthscale rule", rule, kRules);
  check_shape(X.rows(), X.cols(), rule);
  const double mean = checked_mean(X);
  const double sigma = rule == "scale"    ? scale_of(X, mean)
                       : rule == "median" ? median_distance(X, seed)
                                          : neighbour_distance(X, seed);
  if (sigma < kSmallest) refuse_degenerate(rule, sigma);
  return sigma;
}

std::span<const std::string_view> lengthscale_rules() { return kRules; }

template double lengthscale_from<float>(MatrixView<const float>, std::string_view, std::uint64_t);
template double lengthscale_from<double>(MatrixView<const double>, std::string_view, std::uint64_t);

}  // namespace bochner
