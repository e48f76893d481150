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

/// How well phi(x).phi(y) is k(x, y) on a user's own data. Errors are root mean squares over the same pairs.
struct ErrorReport {
  std::size_t pairs = 0;
  std::optional<double> predicted = {};  ///< by the closed form, before anything is computed
  theory::Exactness exactness = theory::Exactness::none;
  double observed = 0;  ///< of these features, against the exact kernel
  /// Standard error of an estimate from the spread of its independent blocks of directions (jackknife): it needs no
  /// exact kernel. Nothing where there are fewer than two blocks (halton and sobol are one), or where outputs do not
  /// belong to single directions.
  std::optional<double> jackknife = {};
  /// Whether `observed` is at most twice `predicted`, which leaves room for the luck of one draw, or rounding.
  bool kept = true;
  std::string advice = {};  ///< what to do, one sentence; empty where nothing is to be done
};

/// Looks at `pairs` pairs of rows of X (queries) and Y (keys; empty: X). Throws std::invalid_argument for what
/// transform refuses and for no rows or pairs.
template <class T>
BOCHNER_EXPORT ErrorReport error_report(const Features& features, MatrixView<const T> X, MatrixView<const T> Y = {},
                                        std::size_t pairs = 1000, std::uint64_t seed = 0);

extern template ErrorReport error_report<float>(const Features&, MatrixView<const float>, MatrixView<const float>,
                                                std::size_t, std::uint64_t);
extern template ErrorReport error_report<double>(const Features&, MatrixView<const double>, MatrixView<const double>,
                                                 std::size_t, std::uint64_t);

}  // namespace bochner
