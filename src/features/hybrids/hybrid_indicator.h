// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bochner/compose.h"
#include "bochner/matrix_view.h"
#include "bochner/spec.h"

namespace bochner {

/// One feature: for queries it is 1 where `query` is the nearest of the query centres, else 0; likewise for keys. Rows
/// are divided by the lengthscale of `like`, which also gives d, m, seed and coupling.
FeaturesPart nearest_indicator(const Spec& like, MatrixView<const double> query_centres,
                               MatrixView<const double> key_centres, std::size_t query, std::size_t key);

}  // namespace bochner
