// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/training_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/available_memory.h"
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
  require_squares(Y, "Y");
}

void require_squares(MatrixView<const double> Y, std::string_view name) {
  constexpr double kMost = 1e150;
  for (std::size_t i = 0; i < Y.rows(); ++i)
    for (std::size_t t = 0; t < Y.cols(); ++t)
      if (std::abs(Y(i, t)) > kMost)
        throw std::invalid_argument(
            fmt::format("{} has {} at row {}, column {}; expected a number of at most {} in size, whose square is one "
                        "too",
                        name, Y(i, t), i, t, kMost));
}

void require_weights(std::span<const double> weights, std::size_t n) {
  if (weights.empty()) return;
  if (weights.size() != n)
    refuse("weights", fmt::format("a list of {} numbers", weights.size()), fmt::format("{}, one for each row of X", n));
  for (std::size_t i = 0; i < n; ++i)
    if (!(weights[i] >= 0) || !std::isfinite(weights[i]))
      throw std::invalid_argument(
          fmt::format("weights has {} at row {}; expected a finite number >= 0", weights[i], i));
    else if (weights[i] > kMostWeight)
      throw std::invalid_argument(
          fmt::format("weights has {} at row {}; expected a number of at most {}: divide all of them by one number, "
                      "their products overflow",
                      weights[i], i, kMostWeight));
}

void require_labels(std::span<const std::int64_t> labels, std::size_t n, std::size_t classes) {
  if (labels.size() != n)
    refuse("labels", fmt::format("a list of {} numbers", labels.size()), fmt::format("{}, one for each row of X", n));
  for (std::size_t i = 0; i < n; ++i)
    if (labels[i] < 0 || static_cast<std::size_t>(labels[i]) >= classes)
      throw std::invalid_argument(
          fmt::format("labels has {} at row {}; expected a number from 0 to {}", labels[i], i, classes - 1));
}

void require_some_row(std::size_t n, std::size_t d, std::span<const double> weights) {
  if (n == 0) refuse("X", fmt::format("0 x {}", d), "at least one row");
  if (weights.empty()) return;
  const double heaviest = *std::ranges::max_element(weights);
  if (heaviest == 0) refuse("weights", "0 in sum", "at least one row of weight > 0");
  if (heaviest < kLeastHeaviest)
    refuse(
        "weights", fmt::format("a list of numbers of at most {}", heaviest),
        fmt::format("one of at least {}: multiply all of them by one number, their products vanish", kLeastHeaviest));
}

void require_alpha(double alpha) {
  if (!(alpha >= 0) || !std::isfinite(alpha)) refuse("alpha", fmt::format("{}", alpha), "a finite number >= 0");
}

void require_memory(std::size_t outputs, double matrices) {
  const double most = static_cast<double>(memory_left()), size = static_cast<double>(outputs);
  const double bytes = sizeof(double) * matrices * size * size;
  if (bytes <= most) return;
  const std::string what = matrices == 1 ? "a matrix" : fmt::format("{} matrices", matrices);
  refuse("outputs", fmt::format("{}", outputs),
         fmt::format("at most {:.0f}: {} of outputs x outputs would need {:.3g} GiB of {:.3g} GiB; lower n_components "
                     "or m",
                     std::floor(std::sqrt(most / (sizeof(double) * matrices))), what, bytes / 0x1p30, most / 0x1p30));
}

std::vector<std::size_t> seen_rows(std::size_t n, std::span<const double> weights) {
  std::vector<std::size_t> seen;
  for (std::size_t i = 0; i < n; ++i)
    if (weights.empty() || weights[i] > 0) seen.push_back(i);
  return seen;
}

template <class T>
ChosenRows choose_rows(MatrixView<const T> X, MatrixView<const double> Y, std::span<const double> weights,
                       std::span<const std::size_t> chosen) {
  ChosenRows rows{Matrix<double>(chosen.size(), X.cols()), Matrix<double>(chosen.size(), Y.cols()), {}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    std::copy_n(X.row(chosen[i]).data(), X.cols(), rows.X.view().row(i).data());
    std::copy_n(Y.row(chosen[i]).data(), Y.cols(), rows.Y.view().row(i).data());
    if (!weights.empty()) rows.weights.push_back(weights[chosen[i]]);
  }
  return rows;
}

template void require_finite(MatrixView<const float>, std::string_view);
template void require_finite(MatrixView<const double>, std::string_view);
template void require_rows(const Features&, MatrixView<const float>);
template void require_rows(const Features&, MatrixView<const double>);
template ChosenRows choose_rows(MatrixView<const float>, MatrixView<const double>, std::span<const double>,
                                std::span<const std::size_t>);
template ChosenRows choose_rows(MatrixView<const double>, MatrixView<const double>, std::span<const double>,
                                std::span<const std::size_t>);

}  // namespace bochner
