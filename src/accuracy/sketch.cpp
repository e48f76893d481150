// SPDX-License-Identifier: Apache-2.0
#include "accuracy/sketch.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "core/stream.h"
#include "features/check.h"
#include "features/sample_rows.h"

namespace bochner {
namespace {

constexpr std::size_t kRows = 1000;

template <class T>
Matrix<double> sampled(MatrixView<const T> X, const std::vector<double>& inverse, std::uint64_t seed,
                       std::string_view name) {
  const std::vector<std::size_t> chosen = sample_rows(X.rows(), kRows, seed);
  Matrix<double> rows(chosen.size(), X.cols()), scaled(chosen.size(), X.cols());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) rows(i, l) = static_cast<double>(X(chosen[i], l));
  std::vector<double> norms(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)  // one by one, so that a refusal names the row of X
    scale_rows<double>(rows.view().row_range(i, i + 1), inverse, chosen[i], scaled.view().row_range(i, i + 1),
                       {&norms[i], 1}, name);
  return scaled;
}

/// Minima of the columns, by a pass over all rows, which also refuses entries that are not finite in rows not sampled.
template <class T>
std::vector<double> minima_of(MatrixView<const T> X, const std::vector<double>& inverse, std::string_view name) {
  std::vector<T> least(X.cols(), std::numeric_limits<T>::infinity());
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const auto row = X.row(i);
    T finite = 0;  // 0 x is NaN where x is not finite
    for (std::size_t l = 0; l < row.size(); ++l) {
      least[l] = std::min(least[l], row[l]);
      finite += 0 * row[l];
    }
    if (finite == 0) continue;
    std::vector<T> scaled(row.size()), norm(1);
    const std::vector<T> unit = {T(1)};
    scale_rows<T>(X.row_range(i, i + 1), unit, i, MatrixView<T>(scaled.data(), 1, row.size()), norm, name);
  }
  std::vector<double> minima(least.begin(), least.end());
  for (std::size_t l = 0; l < minima.size(); ++l) minima[l] *= inverse.size() == 1 ? inverse[0] : inverse[l];
  return minima;
}

struct Choice {
  std::size_t query, key;
  double weight;
};

/// Every query paired with every key.
std::vector<Choice> all_pairs(std::size_t queries, std::size_t keys) {
  std::vector<Choice> pairs;
  for (std::size_t i = 0; i < queries * keys; ++i)
    pairs.push_back({i / keys, i % keys, 1 / static_cast<double>(queries * keys)});
  return pairs;
}

/// At most `count` pairs: all, or a sample. In a sample from one set, a ninth are rows paired with themselves.
std::vector<Choice> pairs_of(std::size_t queries, std::size_t keys, bool one_set, double share, std::uint64_t seed,
                             std::size_t count) {
  if (queries * keys <= count) return all_pairs(queries, keys);
  const Stream stream(seed, Purpose::row_sample);
  const auto below = [&](std::size_t pair, std::size_t column, std::size_t bound) {
    return std::min(static_cast<std::size_t>(stream.uniform(1 + pair, column) * static_cast<double>(bound)), bound - 1);
  };
  std::vector<Choice> pairs;
  const std::size_t diagonal = one_set ? std::min(queries, count / 9) : 0, others = count - diagonal;
  const double off = diagonal > 0 ? 1 - share : 1;
  for (std::size_t i = 0; i < diagonal; ++i) {
    const std::size_t row = i * queries / diagonal;
    pairs.push_back({row, row, (1 - off) / static_cast<double>(diagonal)});
  }
  for (std::size_t i = 0; i < others; ++i) {
    const std::size_t query = below(i, 0, queries);
    std::size_t key = below(i, 1, one_set ? keys - 1 : keys);
    if (one_set && key >= query) ++key;
    pairs.push_back({query, key, off / static_cast<double>(others)});
  }
  return pairs;
}

/// Mean of k(x, .) over the keys of the sketch, for each row x.
std::vector<double> row_means(const Sketch& sketch, const Kernel& kernel, const Parameters& parameters) {
  constexpr std::size_t kBlock = 256;
  std::vector<double> means;
  for (std::size_t first = 0; first < sketch.pairs.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, sketch.pairs.size());
    Matrix<double> K(last - first, sketch.keys.rows());
    kernel.gram(sketch.pairs.X.view().row_range(first, last), sketch.keys.view(), K.view(), parameters);
    for (std::size_t i = 0; i < K.rows(); ++i) {
      const auto row = K.view().row(i);
      means.push_back(std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size()));
    }
  }
  return means;
}

/// Keeps the tenth of all pairs, by weight, with the largest k; of equal k at the limit it keeps an equal part of each.
void keep_largest(Sketch& sketch) {
  std::vector<std::size_t> order(sketch.kernel.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return sketch.kernel[i]; });
  double left = std::accumulate(sketch.weights.begin(), sketch.weights.end(), 0.0) / 10;
  const double kept = left;
  for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
    double equal = 0;
    for (; last < order.size() && sketch.kernel[order[last]] == sketch.kernel[order[first]]; ++last)
      equal += sketch.weights[order[last]];
    const double part = equal > 0 ? std::clamp(left / equal, 0.0, 1.0) : 0.0;
    for (std::size_t i = first; i < last; ++i) sketch.weights[order[i]] *= part / kept;
    left -= part * equal;
  }
}

}  // namespace

template <class T>
Sketch sketch(MatrixView<const T> X, MatrixView<const T> Y, bool one_set, const std::vector<double>& inverse,
              std::uint64_t seed, std::size_t pairs) {
  std::vector<double> query_minima = minima_of<T>(X, inverse, "X");
  std::vector<double> key_minima = one_set ? query_minima : minima_of<T>(Y, inverse, "Y");
  Matrix<double> queries = sampled<T>(X, inverse, seed, "X");
  Matrix<double> keys = sampled<T>(one_set ? X : Y, inverse, one_set ? seed : seed + 1, one_set ? "X" : "Y");
  const double share = 1.0 / static_cast<double>(X.rows());
  const std::vector<Choice> chosen = pairs_of(queries.rows(), keys.rows(), one_set, share, seed, pairs);
  Matrix<double> first(chosen.size(), X.cols()), second(chosen.size(), X.cols());
  std::vector<double> weights;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::ranges::copy(queries.view().row(chosen[i].query), first.view().row(i).begin());
    std::ranges::copy(keys.view().row(chosen[i].key), second.view().row(i).begin());
    weights.push_back(chosen[i].weight);
  }
  return {std::move(queries),      std::move(keys),      {std::move(first), std::move(second)}, std::move(weights), {},
          std::move(query_minima), std::move(key_minima)};
}

void measure_by(Sketch& sketch, std::string_view measure, const Kernel& kernel, const Parameters& parameters) {
  for (std::size_t i = 0; i < sketch.pairs.size(); ++i)
    sketch.kernel.push_back(kernel_at(kernel, sketch.pairs.X.view().row(i), sketch.pairs.Y.view().row(i), parameters));
  if (measure == "largest") keep_largest(sketch);
  if (measure != "relative" && measure != "attention") return;
  const std::vector<double> unit = measure == "relative" ? sketch.kernel : row_means(sketch, kernel, parameters);
  for (std::size_t i = 0; i < unit.size(); ++i) {
    sketch.weights[i] /= unit[i] * unit[i];
    if (!(sketch.weights[i] > 0))  // the pairs with the largest k would have no weight
      throw std::invalid_argument(fmt::format(
          "measure '{}' divides by the square of k, which overflows on these rows; take a larger lengthscale, or "
          "smaller rows",
          measure));
  }
}

template Sketch sketch<float>(MatrixView<const float>, MatrixView<const float>, bool, const std::vector<double>&,
                              std::uint64_t, std::size_t);
template Sketch sketch<double>(MatrixView<const double>, MatrixView<const double>, bool, const std::vector<double>&,
                               std::uint64_t, std::size_t);

}  // namespace bochner
