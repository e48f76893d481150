// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "bochner/features.h"

namespace bochner {

// What every task asks of its arguments. Each throws std::invalid_argument naming the argument, its value and what is
// expected.

/// A map with one feature vector per row for both sides.
void require_symmetric(const Features& features);
/// n x d finite numbers. The features would name a row within its block.
template <class T>
void require_rows(const Features& features, MatrixView<const T> X);
/// Finite numbers, `name` says of what.
template <class T>
void require_finite(MatrixView<const T> X, std::string_view name);
/// One row of finite targets for each of n rows.
void require_targets(MatrixView<const double> Y, std::size_t n, std::size_t targets);
/// Empty, or n finite numbers >= 0.
void require_weights(std::span<const double> weights, std::size_t n);
/// A finite number >= 0.
void require_alpha(double alpha);

}  // namespace bochner
