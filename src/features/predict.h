// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "features/prepared_error.h"
#include "features/resolve.h"
#include "theory/variance.h"

namespace bochner {

// Errors over the draw of W by the closed form of the map for the kernel and coupling of a resolved spec, for inputs in
// units of the lengthscale; of its exact counterpart for a coupling that is approximately one. Nothing where no formula
// is known, and where `chosen.spec.parameters` lacks what only data give.

/// E (phi(x).phi(y) - k(x, y))^2, or the variance of phi(x).phi(y).
std::optional<double> predicted_mse(const Resolved& chosen, std::span<const double> x, std::span<const double> y,
                                    Moment moment = Moment::mse);

/// Pairs of rows (x_i, y_i) in units of the lengthscale.
struct Pairs {
  Matrix<double> X;
  Matrix<double> Y;
  std::vector<theory::PairGeometry> geometry;

  Pairs(Matrix<double> X, Matrix<double> Y);
  std::size_t size() const { return geometry.size(); }
  InputPair at(std::size_t i) const { return {X.view().row(i), Y.view().row(i), geometry[i]}; }
};

/// The same for all pairs, by tables where there are many: relative error 1e-12.
std::optional<std::vector<double>> predicted_mses(const Resolved& chosen, const Pairs& pairs,
                                                  Moment moment = Moment::mse);

/// sqrt(mse) / |k(x, y)|, also where one of the two is out of the range of double.
std::optional<std::vector<double>> predicted_relative_errors(const Resolved& chosen, const Pairs& pairs);

/// sqrt(sum w mse / sum w k^2) over the pairs, whatever the range of k. Nothing where k is 0 or not a number at all
/// pairs.
std::optional<double> predicted_gram_error(const Resolved& chosen, const Pairs& pairs, std::span<const double> weights);

/// E phi(x).phi(y) - k(x, y): 0 but for fixed norms. Known for all unbiased couplings.
std::optional<double> predicted_bias(const Resolved& chosen, std::span<const double> x, std::span<const double> y);

std::optional<std::vector<double>> predicted_biases(const Resolved& chosen, const Pairs& pairs);

/// k(x, y), exactly.
double kernel_at(const Kernel& kernel, std::span<const double> x, std::span<const double> y,
                 const Parameters& parameters);

/// Gives parameters that come from data, where they are missing, the values of data at the origin: enough to tell
/// whether there is a closed form, and which block is best.
void fit_to_origin(Resolved& chosen);

}  // namespace bochner
