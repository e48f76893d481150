// SPDX-License-Identifier: Apache-2.0
#include "tasks/training_data.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "core/errors.h"

namespace bochner {

void require_symmetric(const Features& features) {
  if (!features.symmetric())
    refuse("features", fmt::format("the map '{}', which treats query and key differently", features.spec().map),
           "a map with one feature vector per row for both sides");
}

template <class T>
void require_finite(MatrixView<const T> X, std::string_view name) {
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t j = 0; j < X.cols(); ++j)
      if (!std::isfinite(X(i, j)))
        throw std::invalid_argument(
            fmt::format("{} has {} at row {}, column {}; expected a finite number", name, X(i, j), i, j));
}

template <class T>
void require_rows(const Features& features, MatrixView<const T> X) {
  if (X.cols() != features.d())
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", features.d()));
  require_finite(X, "X");
}

void require_targets(MatrixView<const double> Y, std::size_t n, std::size_t targets) {
  if (Y.rows() != n || Y.cols() != targets)
    refuse("Y", fmt::format("{} x {}", Y.rows(), Y.cols()),
           fmt::format("{} x {}: a row of targets for each row of X", n, targets));
  require_finite(Y, "Y");
}

void require_weights(std::span<const double> weights, std::size_t n) {
  if (weights.empty()) return;
  if (weights.size() != n)
    refuse("weights", fmt::format("a list of {} numbers", weights.size()), fmt::format("{}, one for each row of X", n));
  for (std::size_t i = 0; i < n; ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw std::invalid_argument(
          fmt::format("weights has {} at row {}; expected a finite number >= 0", weights[i], i));
}

void require_alpha(double alpha) {
  if (!(alpha >= 0) || !std::isfinite(alpha)) refuse("alpha", fmt::format("{}", alpha), "a finite number >= 0");
}

template void require_finite(MatrixView<const float>, std::string_view);
template void require_finite(MatrixView<const double>, std::string_view);
template void require_rows(const Features&, MatrixView<const float>);
template void require_rows(const Features&, MatrixView<const double>);

}  // namespace bochner
