// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/matrix_view.h"

namespace bochner {

/// Features of new kernels from existing features. Each part is shared, must be fitted, and all parts of one
/// composition take inputs of one d; a std::invalid_argument says what does not fit. Kernels below are the estimates
/// phi(x).phi(y).
///
/// The result is a Features like any other: both sides, float and double, and the bits of a row depend on that row
/// alone. A part that occurs several times is computed once. Its spec() gives the name of the composition
/// ("concatenation", ...) under the kernel "composed", d, and the m, seed and coupling of the first base; it describes
/// the features but cannot rebuild them. directions() is W of the first base.
using FeaturesPart = std::shared_ptr<const Features>;

/// c k(x, y), c finite and not 0. A negative c becomes a sign on the key side: the result is then not symmetric.
BOCHNER_EXPORT FeaturesPart scaled(double c, FeaturesPart features);

/// k_1(x, y) + k_2(x, y) + ...: the feature vectors one after the other.
BOCHNER_EXPORT FeaturesPart concatenation(const std::vector<FeaturesPart>& parts);

/// k_a(x, y) k_b(x, y): entry (i, j) of the outer product of the feature vectors has the index i b.outputs() + j.
BOCHNER_EXPORT FeaturesPart tensor_product(FeaturesPart a, FeaturesPart b);

/// k(P x, Q y): P and Q are r x d matrices, r the d of `features`. directions() is W P / (lengthscale of `features`).
BOCHNER_EXPORT FeaturesPart on_inputs(FeaturesPart features, MatrixView<const double> P, MatrixView<const double> Q);

/// lambda(x, y) times the estimate of `base`, where lambda is `constant` + the kernel of `coefficient` (null: none).
struct HybridTerm {
  double constant = 0;
  FeaturesPart coefficient;
  FeaturesPart base;
};

/// sum_k lambda_k base_k + (1 - sum_k lambda_k) rest as one feature vector: hybrid random features (Choromanski et al.
/// 2022, Lemma 2.3). All bases estimate one kernel, so the result does too, without bias, if the coefficients are
/// independent of the bases; each base counts where its lambda is large. Coefficients may themselves be hybrids.
/// With a = sum of the constants, the vector has the following sections, except those with a factor 0:
///   sqrt|constant_k| base_k for each k;  coefficient_k (x) base_k for each k;  sqrt|1 - a| rest;
///   coefficient_k (x) rest for each k,
/// Negative factors become a sign on the key side. If `rest` is null the last two are left out: sum_k lambda_k base_k.
/// The base is not evaluated for rows for which a coefficient of one feature is 0.
BOCHNER_EXPORT FeaturesPart hybrid(const std::vector<HybridTerm>& terms, FeaturesPart rest);

}  // namespace bochner
