// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "bochner/export.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// sigma from data, by one of these rules:
///
///   scale      sqrt(d var / 2), var the variance of all entries of X: then 1 / (2 sigma^2) = 1 / (d var), which is
///              scikit-learn's gamma = "scale". Constant X: sqrt(1/2), as there (gamma = 1). Two passes over X.
///   median     the median distance |x_i - x_j|, i < j, between the rows of a sample of min(n, 1000) rows; for an even
///              number of distances the mean of the middle two. n >= 2. O(1000^2 d).
///   neighbour  the mean, over a sample of min(n, 1000) rows, of the distance to the 50th nearest among all other rows
///              of X (Yu et al., 2016); if n <= 50 to the farthest, the (n-1)th. Equal rows are neighbours at
///              distance 0. n >= 2. 2000 n d flops.
///
/// A sample is drawn without replacement from `seed`; up to 1000 rows it is X itself. Computed in double; the result
/// has the same bits for any number of threads and on every machine.
/// Throws std::invalid_argument for an unknown rule; for X without rows or columns, with too few rows or with an entry
/// that is not finite or beyond 1e150 (the message names row and column); and where the rule gives no length because
/// too many rows are equal or all lie within 1e-150.
template <class T>
BOCHNER_EXPORT double lengthscale_from(MatrixView<const T> X, std::string_view rule, std::uint64_t seed = 0);

extern template double lengthscale_from<float>(MatrixView<const float>, std::string_view, std::uint64_t);
extern template double lengthscale_from<double>(MatrixView<const double>, std::string_view, std::uint64_t);

/// The names of the rules.
BOCHNER_EXPORT std::span<const std::string_view> lengthscale_rules();

}  // namespace bochner
