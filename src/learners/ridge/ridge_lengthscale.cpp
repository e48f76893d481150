// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bochner/kernel_ridge.h"
#include "bochner/lengthscale.h"
#include "core/errors.h"
#include "features/sample_rows.h"
#include "learners/ridge/ridge_path.h"
#include "learners/statistics/training_data.h"

namespace bochner {
namespace {

constexpr std::array<double, 7> kFactors = {8, 4, 2, 1, 0.5, 0.25, 0.125};
constexpr std::size_t kMostRows = 4096;

/// The least error over the path; infinity if the rows are too long for the map at this lengthscale, or features
/// vanish. `why` is then the message of the refusal.
double least_error(Features& features, const ChosenRows& rows, const KernelRidgeOptions& options, std::string& why) {
  double least = std::numeric_limits<double>::infinity();
  try {
    features.fit(rows.X.view());
    for (const double error : fit_kernel_ridge(features, rows.X, rows.Y, rows.weights, options).errors)
      least = std::min(least, error);
  } catch (const std::runtime_error& error) {
    why = error.what();
  } catch (const std::invalid_argument& error) {
    why = error.what();
  }
  return least;
}

/// The lengthscale whose multiples are tried.
double median_of(const ChosenRows& rows, std::uint64_t seed) {
  try {
    return lengthscale_from<double>(rows.X, "median", seed);
  } catch (const std::invalid_argument& error) {
    const std::string_view why = error.what();
    if (why.starts_with("X ")) throw;
    throw std::invalid_argument(fmt::format("X has rows about which no lengthscale can be tried: {}", why));
  }
}

template <class T>
RidgeLengthscale search_rows(Spec spec, MatrixView<const T> X, MatrixView<const double> Y,
                             std::span<const double> weights, KernelRidgeOptions options) {
  const bool alpha = options.alpha.has_value();
  if (alpha) {
    require_alpha(*options.alpha);
    if (*options.alpha == 0) refuse("alpha", "0", "a number > 0, or none, where the lengthscale is searched for");
    options.path = {*options.alpha};
    options.alpha = {};
  }
  if (X.cols() != spec.d) refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", spec.d));
  require_targets(Y, X.rows(), Y.cols());
  require_weights(weights, X.rows());
  require_some_row(X.rows(), X.cols(), weights);
  const std::vector<std::size_t> seen = seen_rows(X.rows(), weights);
  std::vector<std::size_t> chosen = sample_rows(seen.size(), kMostRows, spec.seed);
  for (std::size_t& row : chosen) row = seen[row];
  const ChosenRows rows = choose_rows<T>(X, Y, weights, chosen);
  const double median = median_of(rows, spec.seed);
  std::string why;
  RidgeLengthscale result;
  for (const double factor : kFactors) {
    spec.lengthscale = {factor * median};
    const auto features = make_features(spec);
    result.tried.push_back(factor * median);
    result.errors.push_back(least_error(*features, rows, options, why));
  }
  if (std::ranges::none_of(result.errors, [](double error) { return std::isfinite(error); })) {
    if (alpha && why.starts_with("path ")) why = "alpha " + why.substr(std::string_view("path ").size());
    if (!why.empty()) throw std::invalid_argument(why);
  }
  result.lengthscale = result.tried[best_of(result.errors)];
  return result;
}

}  // namespace

RidgeLengthscale search_ridge_lengthscale(const Spec& spec, MatrixView<const float> X, MatrixView<const double> Y,
                                          std::span<const double> weights, const KernelRidgeOptions& options) {
  return search_rows<float>(spec, X, Y, weights, options);
}

RidgeLengthscale search_ridge_lengthscale(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                                          std::span<const double> weights, const KernelRidgeOptions& options) {
  return search_rows<double>(spec, X, Y, weights, options);
}

}  // namespace bochner
