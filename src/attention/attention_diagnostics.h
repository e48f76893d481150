// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace bochner {

struct TermStatistics {
  double effective = 0;       ///< (sum t)^2 / sum t^2
  double relative_error = 0;  ///< relative error of sum t, by the jackknife over blocks of directions
};

/// Statistics of t_j = features_j mass_j; feature j belongs to direction j % m. Zeros where all terms are 0.
template <class T>
TermStatistics term_statistics(std::span<const T> features, std::span<const double> mass, std::size_t m);

}  // namespace bochner
