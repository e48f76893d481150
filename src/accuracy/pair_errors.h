// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "features/pair_error.h"
#include "features/resolve.h"
#include "theory/variance.h"

namespace bochner {

// Errors over the draw of W, by the closed form of the map for the kernel and coupling of a resolved spec, for inputs
// in units of the lengthscale. For an approximate coupling, the closed form is that of its exact counterpart. Empty
// where no formula is known, and where `chosen.spec.parameters` lacks what only data give.

/// Pairs of rows (x_i, y_i) in units of the lengthscale.
struct Pairs {
  Matrix<double> X;
  Matrix<double> Y;
  std::vector<theory::PairGeometry> geometry;

  Pairs(Matrix<double> X, Matrix<double> Y);
  std::size_t size() const { return geometry.size(); }
  InputPair at(std::size_t i) const { return {X.view().row(i), Y.view().row(i), geometry[i]}; }
};

/// E (phi(x).phi(y) - k(x, y))^2 of all pairs, or the variances; by tables where there are many: relative error 1e-12.
std::optional<std::vector<double>> predicted_mses(const Resolved& chosen, const Pairs& pairs,
                                                  Moment moment = Moment::mse);

/// sqrt(mse) / |k(x, y)|, even where one of the two is out of the range of double.
std::optional<std::vector<double>> predicted_relative_errors(const Resolved& chosen, const Pairs& pairs);

/// sqrt(sum w mse / sum w k^2) over the pairs, whatever the range of k. Empty where k is 0 or not a number at all
/// pairs.
std::optional<double> predicted_gram_error(const Resolved& chosen, const Pairs& pairs, std::span<const double> weights);

/// E phi(x).phi(y) - k(x, y).
std::optional<std::vector<double>> predicted_biases(const Resolved& chosen, const Pairs& pairs);

}  // namespace bochner
