// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "features/resolve.h"
#include "theory/variance.h"

namespace bochner {

/// The closed form of a spec for many pairs. Up to a known exponential it depends on one number t, |x+y|^2 or |x-y|^2
/// (Map::argument), so its logarithm is tabulated over log t by Chebyshev polynomials of degree 15 on parts of octaves,
/// to a relative error of 1e-12 of the error itself, for those octaves in which there is a pair. Cost of a pair 0.1 us;
/// of an octave 16 evaluations of the closed form, more where it oscillates.
class ErrorTable {
 public:
  /// Tables for the given pairs; nothing where the closed form depends on more than one number.
  static std::optional<ErrorTable> build(const Resolved& chosen, std::span<const theory::PairGeometry> pairs);

  double mse(const theory::PairGeometry& pair) const;

 private:
  /// log g on [first, last] of log t.
  struct Panel {
    double first;
    double last;
    std::vector<double> coefficients;
  };

  ErrorTable(const Resolved& chosen, bool of_sum) : chosen_(&chosen), of_sum_(of_sum) {}

  double argument(const theory::PairGeometry& pair) const { return of_sum_ ? pair.v2 : pair.z2; }
  /// log of the factor in front of g at a pair.
  double log_factor(const theory::PairGeometry& pair) const;
  /// g(t), taken where both inputs have the norm sqrt(t)/2.
  double direct(double t) const;
  /// `outer`: the last coefficients of the panel of which this is a half.
  std::vector<Panel> tabulate(double first, double last, int depth, double outer) const;

  const Resolved* chosen_;
  bool of_sum_;
  /// By floor(log2 t). No panels: the closed form is 0 or infinite somewhere in the octave.
  std::map<int, std::vector<Panel>> octaves_;
};

}  // namespace bochner
