// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/features.h"

namespace bochner {

/// The largest weight allowed, and the least that the heaviest row must have: products of two weights, and of these
/// with features, then stay in range.
inline constexpr double kMostWeight = 1e150, kLeastHeaviest = 1e-150;

// Checks of arguments that every learner makes. Each throws std::invalid_argument, which names the argument, its value
// and what is expected.

/// The map must have the same feature vector for both sides.
void require_symmetric(const Features& features);
/// n x d finite numbers. (The features' own check would give a row's number within its block.)
template <class T>
void require_rows(const Features& features, MatrixView<const T> X);
/// Finite numbers; `name` says what they are.
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
/// At least one of n rows of d columns, and one with a weight of at least 1e-150; empty weights mean ones.
void require_some_row(std::size_t n, std::size_t d, std::span<const double> weights);
/// A finite number >= 0.
void require_alpha(double alpha);

/// Refuses, before anything is allocated, more matrices of outputs x outputs doubles than the memory of this process
/// can hold, and says how many outputs would fit.
void require_memory(std::size_t outputs, double matrices);

/// The numbers of the rows of weight > 0; empty weights mean ones.
std::vector<std::size_t> seen_rows(std::size_t n, std::span<const double> weights);

/// Copies of some rows; the weights are empty if those given are.
struct ChosenRows {
  Matrix<double> X, Y;
  std::vector<double> weights;
};
template <class T>
ChosenRows choose_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights,
                       std::span<const std::size_t> chosen);

}  // namespace bochner
