// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"

namespace bochner {

/// Ridge regression on features: beta = (Phi' Phi + alpha I)^-1 Phi' y.
struct RidgeFit {
  std::vector<double> beta;
  /// Added to the diagonal beyond alpha to make the factorisation succeed; 0 when none was needed.
  double jitter = 0;
};

/// O(n D^2 + D^3), features computed block by block and never stored whole; same bits for any number of threads.
BOCHNER_EXPORT RidgeFit fit_ridge(const Features& features, MatrixView<const double> X, std::span<const double> y,
                                  double alpha);
BOCHNER_EXPORT std::vector<double> predict_ridge(const Features& features, const RidgeFit& fit,
                                                 MatrixView<const double> X);

/// The exact counterpart, O(n^3): dual weights (K + alpha I)^-1 y.
BOCHNER_EXPORT RidgeFit fit_exact_ridge(std::string_view kernel, std::span<const double> lengthscale,
                                        MatrixView<const double> X, std::span<const double> y, double alpha);

}  // namespace bochner
