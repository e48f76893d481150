// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/features.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// 1 / lengthscale, one number or one per coordinate. Throws std::invalid_argument unless there are 1 or d numbers,
/// each finite and > 0.
std::vector<double> inverse_lengthscale(std::span<const double> lengthscale, std::size_t d);

/// Y = X inverse row by row, with the squared norms of the results. Throws std::invalid_argument for the first entry
/// that is not finite, or so large that a norm or projection could overflow: |x / lengthscale| > 1e18 in float, 1e150
/// in double. The message names the argument (`name`), row (counted from `first_row`) and column.
template <class T>
void scale_rows(MatrixView<const T> X, std::span<const T> inverse, std::size_t first_row, MatrixView<T> Y,
                std::span<T> norms, std::string_view name = "X");

/// Refuses X and Z unless they are n x d and n x outputs of the features.
template <class T>
void check_shapes(MatrixView<const T> X, MatrixView<T> Z, const Features& features);

/// Refuses null, and features that still lack parameters: neither can be part of a composition.
void check_part(const Features* part);

/// Refuses a span of log scales that does not have one number per row.
void check_log_scale(std::size_t size, std::size_t rows);

}  // namespace bochner
