// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "bochner/attention.h"
#include "bochner/features.h"
#include "core/stream.h"

namespace bochner::test {

/// An array of shape (batch, heads, length, dim).
template <class T>
struct Heads {
  std::size_t batch, heads, length, dim;
  std::vector<T> numbers;

  Heads(std::size_t b, std::size_t h, std::size_t n, std::size_t d)
      : batch(b), heads(h), length(n), dim(d), numbers(b * h * n * d) {}
  /// Independent N(0, size^2) entries.
  static Heads normal(std::size_t b, std::size_t h, std::size_t n, std::size_t d, double size, std::uint64_t seed) {
    Heads made(b, h, n, d);
    const Stream stream(seed, Purpose::iid_entries);
    for (std::size_t i = 0; i < made.numbers.size(); ++i)
      made.numbers[i] = static_cast<T>(size * stream.normal(i / d, i % d));
    return made;
  }
  T& at(std::size_t b, std::size_t h, std::size_t i, std::size_t c) {
    return numbers[((b * heads + h) * length + i) * dim + c];
  }
  const T& at(std::size_t b, std::size_t h, std::size_t i, std::size_t c) const {
    return numbers[((b * heads + h) * length + i) * dim + c];
  }
  HeadsView<T> view() { return {numbers.data(), batch, heads, length, dim}; }
  HeadsView<const T> view() const { return {numbers.data(), batch, heads, length, dim}; }
  /// The first rows of every head.
  Heads prefix(std::size_t rows) const {
    Heads made(batch, heads, rows, dim);
    for (std::size_t h = 0; h < batch * heads; ++h)
      std::copy_n(numbers.begin() + static_cast<std::ptrdiff_t>(h * length * dim), rows * dim,
                  made.numbers.begin() + static_cast<std::ptrdiff_t>(h * rows * dim));
    return made;
  }
  bool same_bits(const Heads& other) const {
    return numbers.size() == other.numbers.size() &&
           std::memcmp(numbers.data(), other.numbers.data(), numbers.size() * sizeof(T)) == 0;
  }
};

template <class T>
Heads<T> attend(const Heads<T>& q, const Heads<T>& k, const Heads<T>& v, const AttentionOptions& options,
                MatrixView<const bool> mask = {}) {
  Heads<T> out(q.batch, q.heads, q.length, v.dim);
  attention<T>(q.view(), k.view(), v.view(), out.view(), options, mask);
  return out;
}

/// log phi_j(x) + |x|^2/2 of the exponential maps from W itself: sqrt(1-4A) w.x + A |w|^2, for -w too where paired.
struct Estimator {
  Matrix<double> W;
  std::vector<long double> squares;  ///< |w|^2
  double root_scale, A;
  bool paired;

  Estimator(std::size_t dim, const AttentionOptions& options, double weight, double scale)
      : root_scale(std::sqrt(scale)), A(weight), paired(options.map.ends_with("_paired")) {
    Spec spec{.d = dim, .kernel = "softmax", .map = "positive", .coupling = options.coupling, .m = options.m};
    spec.seed = options.seed;
    W = make_features(spec)->directions();
    squares.resize(W.rows(), 0.0L);
    for (std::size_t j = 0; j < W.rows(); ++j)
      for (std::size_t l = 0; l < W.cols(); ++l) squares[j] += static_cast<long double>(W(j, l)) * W(j, l);
  }
  std::size_t outputs() const { return W.rows() * (paired ? 2 : 1); }

  template <class T>
  std::vector<long double> logs(const T* x, bool key) const {
    std::vector<long double> result(outputs());
    long double norm = 0;
    for (std::size_t l = 0; l < W.cols(); ++l) norm += static_cast<long double>(x[l]) * x[l] * root_scale * root_scale;
    for (std::size_t j = 0; j < result.size(); ++j) {
      const std::size_t row = j % W.rows();
      long double product = 0;
      for (std::size_t l = 0; l < W.cols(); ++l) product += static_cast<long double>(W(row, l)) * x[l];
      const long double sign = j == row ? 1 : -1;
      result[j] = sign * std::sqrt(1 - 4 * A) * root_scale * product + A * squares[row] - (key ? norm / 2 : 0);
    }
    return result;
  }
};

/// The same estimator in long double, whose range holds every exponential: sums of features relative to the largest
/// exponent of each. Rows 0, every, 2 every, ...; the others are 0.
template <class T>
Heads<double> oracle(const Heads<T>& q, const Heads<T>& k, const Heads<T>& v, const Estimator& estimator, bool causal,
                     MatrixView<const bool> mask = {}, std::size_t every = 1) {
  Heads<double> out(q.batch, q.heads, q.length, v.dim);
  const std::size_t m = estimator.outputs(), group = q.heads / k.heads, width = v.dim + 1;
  for (std::size_t b = 0; b < q.batch; ++b)
    for (std::size_t h = 0; h < q.heads; ++h) {
      std::vector<std::vector<long double>> keys(k.length);
      std::vector<long double> top(m, -1e4000L), sums(m * width, 0.0L);
      for (std::size_t i = 0; i < k.length; ++i) {
        if (mask.data() != nullptr && !mask(b, i)) continue;
        keys[i] = estimator.logs(&k.at(b, h / group, i, 0), true);
        for (std::size_t j = 0; j < m; ++j) top[j] = std::max(top[j], keys[i][j]);
      }
      const auto add = [&](std::size_t i) {
        for (std::size_t j = 0; j < m && !keys[i].empty(); ++j) {
          const long double weight = std::exp(keys[i][j] - top[j]);
          for (std::size_t c = 0; c < v.dim; ++c) sums[j * width + c] += weight * v.at(b, h / group, i, c);
          sums[j * width + v.dim] += weight;
        }
      };
      for (std::size_t i = 0; i < k.length && !causal; ++i) add(i);
      for (std::size_t t = 0; t < q.length; ++t) {
        if (causal) add(t);
        if (t % every != 0) continue;
        std::vector<long double> query = estimator.logs(&q.at(b, h, t, 0), false), total(width, 0.0L);
        for (std::size_t j = 0; j < m; ++j) query[j] += top[j];
        const long double largest = *std::max_element(query.begin(), query.end());
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t c = 0; c < width; ++c) total[c] += std::exp(query[j] - largest) * sums[j * width + c];
        for (std::size_t c = 0; c < v.dim; ++c)
          out.at(b, h, t, c) = total[v.dim] > 0 ? static_cast<double>(total[c] / total[v.dim]) : 0.0;
      }
    }
  return out;
}

/// The largest difference.
template <class T, class U>
double distance(const Heads<T>& a, const Heads<U>& b) {
  double most = a.numbers.size() == b.numbers.size() ? 0 : std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < std::min(a.numbers.size(), b.numbers.size()); ++i) {
    const double difference = std::abs(static_cast<double>(a.numbers[i]) - static_cast<double>(b.numbers[i]));
    most = difference <= most ? most : difference;
  }
  return most;
}

}  // namespace bochner::test
