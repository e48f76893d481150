// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "bochner/export.h"
#include "bochner/gram.h"
#include "bochner/kernel_ridge.h"

namespace bochner {

/// Principal components of features about their mean.
struct KernelPcaFit {
  /// `weights` are components x outputs: orthonormal rows, the one of largest variance first, each with its entry of
  /// largest size positive; `intercept` = -weights mean, so that predict(features, model, X) gives the projections.
  LinearModel model;
  std::vector<double> mean;                ///< of the features
  std::vector<double> explained_variance;  ///< sum of squares along each component / (weight - 1); 0 for one row
  double total_variance = 0;               ///< the same over all components
};

/// The first `components` (1 to outputs) principal components of the features that were added to `gram`: kernel PCA
/// with the centred kernel phi(x) . phi(y). 9 outputs^3 flops. Variances below 1e-16 outputs of the largest are
/// rounding.
/// Throws std::invalid_argument for too many components and if no row was added.
BOCHNER_EXPORT KernelPcaFit fit_kernel_pca(const Gram& gram, std::size_t components);

}  // namespace bochner
