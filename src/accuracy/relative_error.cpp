// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>
#include <vector>

#include "accuracy/theory_input.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "core/parameter.h"

namespace bochner::theory {
namespace {

std::vector<double> errors_of(const Resolved& chosen, const Pairs& pairs) {
  auto errors = predicted_relative_errors(chosen, pairs);
  if (!errors) refuse_unknown(chosen);
  return *std::move(errors);
}

/// Pairs of norm r at these angles, placed symmetrically about one axis of a plane: x + y and x - y are each one
/// number, exact near 0 and pi. In one dimension there are two directions, so that an angle below pi/2 becomes 0 and
/// others pi.
Pairs pairs_at(const std::vector<double>& angles, double r, std::size_t d) {
  Matrix<double> X(angles.size(), std::min<std::size_t>(d, 2)), Y(angles.size(), X.cols());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double half = d > 1 ? angles[i] / 2.0 : 0.0;
    X(i, 0) = r * std::cos(half);
    Y(i, 0) = d > 1 || angles[i] < std::numbers::pi / 2.0 ? X(i, 0) : -X(i, 0);
    if (d == 1) continue;
    X(i, 1) = r * std::sin(half);
    Y(i, 1) = -X(i, 1);
  }
  return {std::move(X), std::move(Y)};
}

/// The largest value in [low, high] of a function with one maximum there.
template <class Function>
double golden_maximum(double low, double high, const Function& value) {
  constexpr double kGolden = 0.6180339887498949;
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double at_left = value(left), at_right = value(right);
  // Near a maximum the function is flat: the error is of the order of the squared distance.
  for (const double enough = 1e-7 * (high - low); high - low > enough;) {
    if (at_left >= at_right) {
      high = right, right = left, at_right = at_left;
      at_left = value(left = high - kGolden * (high - low));
    } else {
      low = left, left = right, at_left = at_right;
      at_right = value(right = low + kGolden * (high - low));
    }
  }
  return std::max(at_left, at_right);
}

/// Refuses a closed form that is not a function of norms and angle.
[[noreturn]] void refuse_directions(const Resolved& chosen) {
  const std::vector<double> zero(chosen.spec.d, 0.0);
  if (!predicted_mse(chosen, zero, zero)) refuse_unknown(chosen);
  throw std::invalid_argument(fmt::format(
      "max_relative_error searches over the angle of x and y, but the error of kernel '{}' with map '{}' depends on "
      "more at equal norms; expected kernel 'gaussian', 'softmax', 'matern' or 'angular' and a map other than "
      "poisson*, geometric*, 'complex_exponential' and 'hybrid_clustered'",
      chosen.spec.kernel, chosen.spec.map));
}

double radius_in_lengthscales(const Spec& spec, double radius) {
  if (!(radius >= 0) || !(radius <= 1e150)) refuse("radius", fmt::format("{}", radius), "a number from 0 to 1e150");
  if (spec.lengthscale.size() != 1 &&
      std::ranges::adjacent_find(spec.lengthscale, std::not_equal_to<>()) != spec.lengthscale.end())
    refuse("lengthscale", fmt::format("{} different numbers", spec.lengthscale.size()),
           "one number: divided by others, a sphere is none");
  return radius / spec.lengthscale.front();
}

}  // namespace

double relative_error(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  return errors_of(resolve_undrawn(spec), scaled_pair(x, y, spec)).front();
}

std::vector<double> relative_error(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  return errors_of(resolve_undrawn(spec), scaled_pairs(X, Y, spec));
}

double max_relative_error(const Spec& spec, double radius) {
  const Resolved chosen = resolve_undrawn(spec);
  const double r = radius_in_lengthscales(spec, radius);
  constexpr std::size_t kAngles = 513;
  std::vector<double> angles(kAngles);
  // The grid is denser near 0 and pi, where the maxima of hybrids lie for large norms.
  for (std::size_t i = 0; i < kAngles; ++i) {
    const double sine = std::sin(std::numbers::pi / 2.0 * static_cast<double>(i) / (kAngles - 1.0));
    angles[i] = std::numbers::pi * sine * sine;
  }
  if (PreparedError(chosen).argument() == Argument::pair) refuse_directions(chosen);
  const std::vector<double> errors = errors_of(chosen, pairs_at(angles, r, spec.d));
  double largest = *std::ranges::max_element(errors);
  if (!std::isfinite(largest) || spec.d == 1) return largest;
  for (std::size_t i = 1; i + 1 < kAngles; ++i) {
    if (errors[i] < 0.9 * largest || errors[i] < errors[i - 1] || errors[i] < errors[i + 1]) continue;
    largest = std::max(largest, golden_maximum(angles[i - 1], angles[i + 1], [&](double angle) {
                         return errors_of(chosen, pairs_at({angle}, r, spec.d)).front();
                       }));
  }
  return largest;
}

double max_relative_error_bound(const Spec& spec, double radius) {
  const Resolved chosen = resolve_undrawn(spec);
  const double r = radius_in_lengthscales(spec, radius);
  const auto serves = [](const Map& map) { return map.relative_error_bound != nullptr; };
  if (!serves(chosen.map))
    refuse("map", fmt::format("'{}'", chosen.spec.map), maps_that(serves) + ", for which the bound is proven");
  if (chosen.coupling.angles != Angles::independent)
    refuse("coupling", fmt::format("'{}'", chosen.spec.coupling), "'iid', for which the bound is proven");
  if (!(r >= 1))
    refuse("radius", fmt::format("{} lengthscales", r), "at least 1 lengthscale, from which on the bound is proven");
  return chosen.map.relative_error_bound(r, chosen.spec);
}

}  // namespace bochner::theory
