// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "bochner/model.h"

namespace bochner {

/// Eigenvalues of the kernel and of its estimate by features on some rows of the sample.
void add_spectra(const Features& features, MatrixView<const double> sample, FitDetails& details);

/// Targets and predictions of a regression on at most kMostPairs of `held_out` rows, spread evenly.
void add_pairs(const ModelPredictor& predictor, RowSource& rows, double holdout, std::uint64_t held_out,
               const Progress& progress, FitDetails& details);

/// Those of m / 16, m / 8, m / 4 and m / 2 that are different numbers of directions.
std::vector<std::size_t> smaller_sizes(std::size_t m);

}  // namespace bochner
