// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "features/resolved.h"
#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner {

/// Which moment of the estimate is meant: mse = variance + bias^2.
enum class Moment { mse, variance };

/// Two inputs in units of the lengthscale.
struct InputPair {
  std::span<const double> x;
  std::span<const double> y;
  theory::PairGeometry geometry;
};
theory::PairGeometry geometry_of(std::span<const double> x, std::span<const double> y);

/// The closed form of the error of a resolved spec, prepared once for many pairs. For an approximate coupling, it is
/// the closed form of its exact counterpart.
class PreparedError {
 public:
  /// Error of part number `part` at a pair of this geometry, times e^{log_factor}.
  using PartError = std::function<double(std::size_t part, const theory::PairGeometry& pair, double log_factor)>;

  /// at() is always empty where `chosen` lacks parameters that only data give.
  explicit PreparedError(const Resolved& chosen, Moment moment = Moment::mse);

  /// The error with e^{log_factor} in place of the factor of the kernel; empty where no formula is known.
  std::optional<double> at(const InputPair& pair, double log_factor) const;
  /// The same, with the errors of the parts from another source, such as tables.
  std::optional<double> at(const InputPair& pair, double log_factor, const PartError& part) const;
  /// The same where the closed form depends only on |x+y|^2 or |x-y|^2.
  std::optional<double> at(const theory::PairGeometry& pair, double log_factor) const;

  /// What the closed form depends on; Argument::pair unless the law of the rows is isotropic.
  Argument argument() const;
  const std::vector<PreparedError>& parts() const { return parts_; }
  const Resolved& chosen() const { return chosen_; }

 private:
  std::optional<theory::FourierTerms> fourier_terms(std::span<const double> z, double z2) const;
  std::optional<double> evaluate(const InputPair& pair, double log_factor, const PartError& part,
                                 const std::function<std::optional<theory::FourierTerms>()>& terms) const;

  Resolved chosen_;
  Moment moment_;
  std::size_t D_;
  theory::BlockStructure blocks_;
  ErrorFormula formula_;
  std::vector<PreparedError> parts_;
};

/// 2 a (|x|^2 + |y|^2), where a is the kernel's: log of the factor of the kernel in the square of phi(x).phi(y).
double log_factor(const Kernel& kernel, const theory::PairGeometry& pair);

/// Whether rows have the norm sqrt(D) instead of the norm of their law.
bool has_fixed_norms(const Resolved& chosen);

// Moments over the draw of W, by the closed form of the map for the kernel and coupling of a resolved spec, for inputs
// in units of the lengthscale. Empty where no formula is known, and where `chosen.spec.parameters` lacks what only data
// give.

/// E (phi(x).phi(y) - k(x, y))^2, or the variance of phi(x).phi(y).
std::optional<double> predicted_mse(const Resolved& chosen, std::span<const double> x, std::span<const double> y,
                                    Moment moment = Moment::mse);

/// E phi(x).phi(y) - k(x, y): 0 except for fixed norms. Known for all unbiased couplings.
std::optional<double> predicted_bias(const Resolved& chosen, std::span<const double> x, std::span<const double> y);

/// k(x, y), exactly.
double kernel_at(const Kernel& kernel, std::span<const double> x, std::span<const double> y,
                 const Parameters& parameters);

/// Sets missing parameters that come from data to their values for data at the origin: enough to know whether there is
/// a closed form, and which block is best.
void fit_to_origin(Resolved& chosen);

}  // namespace bochner
