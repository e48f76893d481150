// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "features/pair_error.h"

namespace bochner {

/// A closed form for many pairs, if it depends on one number t, |x+y|^2 or |x-y|^2 (Argument), up to a known
/// exponential. The logarithm of g(t) is tabulated over log t by Chebyshev polynomials of degree 15 on parts of
/// octaves, to a relative error of 1e-12 of the error itself (or to the rounding errors of closed forms,
/// 2e-15 max(d, t), if that is more). Only octaves where this takes fewer evaluations of the closed form than there are
/// pairs are tabulated. Cost per pair 0.1 us; per octave 16 evaluations, more where the function oscillates, but never
/// more than one for each pair.
class ErrorTable {
 public:
  /// Whether the closed form depends on one such number.
  static bool serves(const PreparedError& error);

  explicit ErrorTable(const PreparedError& error);

  /// Records that there is such a pair. Called by many threads at once.
  void want(const theory::PairGeometry& pair);
  /// Tabulates all octaves of the recorded pairs, on all threads.
  void build();

  /// PreparedError::at, from the table if there is one for the octave of the pair.
  double at(const theory::PairGeometry& pair, double log_factor) const;

 private:
  /// log g on [first, last], an interval of log t.
  struct Panel {
    double first;
    double last;
    std::vector<double> coefficients;
  };

  static constexpr int kLowest = -1074, kHighest = 1023;  // exponents of double

  double argument(const theory::PairGeometry& pair) const { return of_sum_ ? pair.v2 : pair.z2; }
  /// log g(t): the logarithm of the error where e^{log_factor} is the inverse of the known exponential.
  double log_value(double t) const;
  /// The panel that another panel is a half of.
  struct Outer {
    double tail;  ///< its largest last coefficient
    int stalled;  ///< how many panels in a row, up to this one, had a tail close to that of the panel around them
  };
  /// Returns no panels if more than `evaluations` of the closed form would be needed, or if g is 0 or infinite at one.
  std::vector<Panel> tabulate(double first, double last, const Outer& outer, std::size_t& evaluations) const;

  const PreparedError* error_;
  bool of_sum_;
  /// Indexed by floor(log2 t) - kLowest.
  std::array<std::atomic<unsigned>, kHighest - kLowest + 1> wanted_{};
  /// No panels: the octave was not wanted, or cannot be tabulated.
  std::array<std::vector<Panel>, kHighest - kLowest + 1> octaves_;
};

}  // namespace bochner
