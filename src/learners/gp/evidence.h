// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bochner/features.h"
#include "bochner/gaussian_process.h"

namespace bochner {

/// What the rows say about the weights: Phi = sum_j sqrt(values_j) u_j v_j', coordinates(t, j) = u_j . y_t, where y_t
/// is the normalised target t.
struct Modes {
  /// The rows are v_j or, if `phi` is not empty, u_j, and then v_j = phi' u_j / sqrt(values_j).
  Matrix<double> vectors;
  Matrix<double> phi;
  std::vector<double> values;
  Matrix<double> coordinates;
  /// Mean of the weights at a = noise / signal: sum_j pull(t, j) / (values_j + a) v_j, or phi' times the same sum over
  /// the u_j. Modes that are rounding contribute to it, in the size of the square root of their value.
  Matrix<double> pull;
  std::vector<double> means;   ///< of the targets, subtracted from them
  std::vector<double> scales;  ///< of the targets, which are then divided by them
  double rest = 0;             ///< sum of squares of y outside the span of the u_j, over all targets
  double weight = 0;           ///< number of rows
  double mean_square = 0;      ///< of y
  bool single = false;         ///< from float rows

  double largest() const { return values.empty() ? 0.0 : values.back(); }
  /// Values up to this number are rounding.
  double noise() const { return static_cast<double>(values.size()) * (single ? 0x1p-24 : 0x1p-52) * largest(); }
};

/// Modes from the eigenvectors of Phi' Phi, 9 outputs^3 flops.
Modes modes_of(const Gram& gram, bool normalise);
/// Modes from the eigenvectors of Phi Phi', 9 n^3 flops. There must be no rows of weight 0.
Modes dual_modes(const Features& features, MatrixView<const double> X, MatrixView<const double> Y,
                 std::span<const double> weights, bool normalise);

struct Variances {
  double noise = 0, signal = 0;
  double log_likelihood = 0;
};

/// The given variances, or the most likely ones.
Variances likeliest_variances(const Modes& modes, const GaussianProcessOptions& options);

/// Throws std::invalid_argument for variances that are not > 0.
void require_options(const GaussianProcessOptions& options);

}  // namespace bochner
