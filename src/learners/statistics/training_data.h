// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/features.h"

namespace bochner {

/// Weights of rows, and the heaviest of them at least: products of two of them, and of these with features, are
/// numbers.
inline constexpr double kMostWeight = 1e150, kLeastHeaviest = 1e-150;

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
/// Numbers of at most 1e150 in size: sums of squares of larger ones overflow.
void require_squares(MatrixView<const double> Y, std::string_view name);
/// One row of such targets for each of n rows.
void require_targets(MatrixView<const double> Y, std::size_t n, std::size_t targets);
/// Empty, or n numbers from 0 to 1e150.
void require_weights(std::span<const double> weights, std::size_t n);
/// One number from 0 to classes - 1 for each of n rows.
void require_labels(std::span<const std::int64_t> labels, std::size_t n, std::size_t classes);
/// At least one of n rows of d columns, one of them of weight 1e-150 at least; empty weights are ones.
void require_some_row(std::size_t n, std::size_t d, std::span<const double> weights);
/// A finite number >= 0.
void require_alpha(double alpha);

/// Refuses, before anything is allocated, as many matrices of outputs x outputs doubles as the memory of this process
/// cannot hold, and says how many outputs it can.
void require_memory(std::size_t outputs, double matrices);

/// The numbers of the rows of weight > 0; empty weights are ones.
std::vector<std::size_t> seen_rows(std::size_t n, std::span<const double> weights);

/// Some rows, copied; the weights are empty if those of all rows are.
struct ChosenRows {
  Matrix<double> X, Y;
  std::vector<double> weights;
};
template <class T>
ChosenRows choose_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights,
                       std::span<const std::size_t> chosen);

}  // namespace bochner
