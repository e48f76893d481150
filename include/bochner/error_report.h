// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bochner/export.h"
#include "bochner/features.h"
#include "bochner/matrix_view.h"
#include "bochner/theory.h"

namespace bochner {

/// How well phi(x).phi(y) approximates k(x, y) on a user's own data. Errors are root mean squares over the same pairs.
struct ErrorReport {
  std::size_t pairs = 0;
  std::optional<double> predicted = {};  ///< by the closed form, before anything is computed
  theory::Exactness exactness = theory::Exactness::none;
  double observed = 0;  ///< of these features, against the exact kernel
  /// Standard error of an estimate from the spread of its independent blocks of directions (jackknife): it needs no
  /// exact kernel. Empty where there are fewer than two blocks (halton and sobol are one), or where outputs do not
  /// belong to single directions.
  std::optional<double> jackknife = {};
  /// Whether `observed` is at most twice `predicted`, which leaves room for the luck of one draw, plus rounding errors.
  bool kept = true;
  std::string advice = {};  ///< what to do, in one sentence; empty where nothing needs to be done
};

/// Compares errors on `pairs` pairs of rows of X (queries) and Y (keys; empty: X). Throws std::invalid_argument for
/// what transform refuses, for no rows and for no pairs.
template <class T>
BOCHNER_EXPORT ErrorReport error_report(const Features& features, MatrixView<const T> X, MatrixView<const T> Y = {},
                                        std::size_t pairs = 1000, std::uint64_t seed = 0);

extern template ErrorReport error_report<float>(const Features&, MatrixView<const float>, MatrixView<const float>,
                                                std::size_t, std::uint64_t);
extern template ErrorReport error_report<double>(const Features&, MatrixView<const double>, MatrixView<const double>,
                                                 std::size_t, std::uint64_t);

/// Judges fitted features on the rows X (queries) and Y (keys; empty: X) from which their parameters were found.
/// Returns an empty string, unless the features serve the rows so badly that the predicted error of phi(x) . phi(y),
/// root mean square over pairs of rows, is larger than k's own root mean square; then returns one sentence that says so
/// and names a mechanism that does better. Features without a closed form are judged by that of independent rows. Where
/// that has none either, they are judged by their own error on a few pairs, or not at all if they are too long for
/// that. Deterministic, for any number of threads; takes some milliseconds. Throws std::invalid_argument for what
/// transform refuses and for no rows.
template <class T>
BOCHNER_EXPORT std::string fit_advice(const Features& features, MatrixView<const T> X, MatrixView<const T> Y = {});

extern template std::string fit_advice<float>(const Features&, MatrixView<const float>, MatrixView<const float>);
extern template std::string fit_advice<double>(const Features&, MatrixView<const double>, MatrixView<const double>);

/// Calls features.fit(X, Y) and returns fit_advice; returns an empty string where nothing was missing.
template <class T>
std::string checked_fit(Features& features, MatrixView<const T> X, MatrixView<const T> Y = {}) {
  if (features.fitted()) return {};
  features.fit(X, Y);
  return fit_advice<T>(features, X, Y);
}

/// Whether the spec names a map that takes parameters from data and lacks one of them, which fit or a plan has to find;
/// false where the map is "auto", because a plan then takes what is best.
BOCHNER_EXPORT bool lacks_parameters(const Spec& spec);

}  // namespace bochner
