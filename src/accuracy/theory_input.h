// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accuracy/pair_errors.h"
#include "bochner/matrix_view.h"
#include "features/resolve.h"

namespace bochner::theory {

// How the functions of bochner/theory.h check and scale their arguments.

/// The input in units of the lengthscale. Refuses, under the name `what`, lengths other than d, entries that are not
/// finite and squared norms above 1e300, whose sums might not be finite.
std::vector<double> scaled(std::string_view what, std::span<const double> input, const Spec& spec);

/// One pair, with the names x and y in refusals.
Pairs scaled_pair(std::span<const double> x, std::span<const double> y, const Spec& spec);
/// The rows of X and Y, which must have the same number of rows.
Pairs scaled_pairs(MatrixView<const double> X, MatrixView<const double> Y, const Spec& spec);

/// "'a' or 'b'": the registered maps for which `serves` holds, for use in refusals.
std::string maps_that(bool (*serves)(const Map& map));

/// Refuses a spec without a closed form: names the missing parameter that only data give, or the combination.
[[noreturn]] void refuse_unknown(const Resolved& chosen);
/// Refuses a spec that lacks a parameter that only data give.
void need_parameters(const Resolved& chosen);

}  // namespace bochner::theory
