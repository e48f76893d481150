// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "bochner/model.h"
#include "report/svg.h"

namespace bochner::cli {

/// The page of `bochner fit --report`: what was chosen and why, errors on the rows held out, error against alpha and
/// C and m, the spectrum of the kernel. `result` has details; `input` is the file it was fitted to.
std::string fit_page(const std::string& input, const ModelFit& result, double seconds);

/// A picture has no room for more classes than this.
inline constexpr std::size_t kMostDrawn = 40;
/// The rows of class i that were taken for class j, darker for a larger share of class i; at most kMostDrawn classes.
std::string draw_confusion(const Matrix<double>& confusion, const std::vector<std::string>& classes);
/// Predictions against targets, and the residuals.
svg::Picture residuals_of(const FitDetails& details);
/// Error against alpha, if it was chosen from a path, or against C, and against m.
svg::Picture errors_of(const ModelFit& result);
/// Variance along each component, and the share that the first of them hold.
svg::Picture components_of(const KernelPcaFit& components);
/// Eigenvalues, and the share of the sum that the first of them hold.
svg::Picture spectrum_of(const FitDetails& details);

}  // namespace bochner::cli
