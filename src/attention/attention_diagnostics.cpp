// SPDX-License-Identifier: Apache-2.0
#include "attention/attention_diagnostics.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace bochner {

/// Without block b of m_b among m directions, the sum is estimated as S_b = (S - s_b) m / (m - m_b); the variance of S
/// is about sum_b (1 - m_b/m) (S_b - S)^2 (the jackknife for blocks of unequal size, to the first order).
template <class T>
TermStatistics term_statistics(std::span<const T> features, std::span<const double> mass, std::size_t m) {
  constexpr std::size_t kMostBlocks = 16;
  const std::size_t blocks = std::min(m, kMostBlocks);
  std::array<double, kMostBlocks> sums = {};
  std::array<std::size_t, kMostBlocks> sizes = {};
  for (std::size_t i = 0; i < m; ++i) ++sizes[i * blocks / m];
  double total = 0, squares = 0;
  for (std::size_t j = 0; j < features.size(); ++j) {
    const double term = static_cast<double>(features[j]) * mass[j];
    total += term;
    squares += term * term;
    sums[j % m * blocks / m] += term;
  }
  if (!(squares > 0)) return {};
  double variance = 0;
  for (std::size_t b = 0; b < blocks && blocks > 1; ++b) {
    const double share = static_cast<double>(sizes[b]) / static_cast<double>(m);
    const double without = (total - sums[b]) / (1 - share);
    variance += (1 - share) * (without - total) * (without - total);
  }
  return {total * total / squares, std::sqrt(variance) / std::abs(total)};
}

template TermStatistics term_statistics(std::span<const float>, std::span<const double>, std::size_t);
template TermStatistics term_statistics(std::span<const double>, std::span<const double>, std::size_t);

}  // namespace bochner
