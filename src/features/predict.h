// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bochner/matrix.h"
#include "features/resolve.h"
#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner {

/// E (phi(x).phi(y) - k(x, y))^2 by the closed form of the map for this kernel and coupling, for inputs in units of the
/// lengthscale; of its exact counterpart for a coupling that is approximately one. Nothing where no formula is known.
/// `chosen.spec.parameters` must be complete.
std::optional<double> predicted_mse(const Resolved& chosen, std::span<const double> x, std::span<const double> y);

/// Pairs of rows (x_i, y_i) in units of the lengthscale.
struct Pairs {
  Matrix<double> X;
  Matrix<double> Y;
  std::vector<theory::PairGeometry> geometry;

  Pairs(Matrix<double> X, Matrix<double> Y);
  std::size_t size() const { return geometry.size(); }
};

/// The same for all pairs, by tables where there are many: relative error 1e-12.
std::optional<std::vector<double>> predicted_mses(const Resolved& chosen, const Pairs& pairs);

/// Which of the m rows of a draw depend on each other.
theory::BlockStructure blocks_of(const Coupling& coupling, std::size_t m, std::size_t D);

/// Gives parameters that come from data, where they are missing, the values of data at the origin: enough to tell
/// whether there is a closed form, and which block is best.
void fit_to_origin(Resolved& chosen);

}  // namespace bochner
