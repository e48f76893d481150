// SPDX-License-Identifier: Apache-2.0
#include "bochner/theory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "bochner/features.h"
#include "core/errors.h"
#include "features/check.h"
#include "features/predict.h"
#include "theory/conformity.h"

namespace bochner::theory {
namespace {

/// The input in units of the lengthscale.
std::vector<double> scaled(std::string_view what, std::span<const double> input, const Spec& spec) {
  if (input.size() != spec.d)
    refuse(fmt::format("{}.size()", what), fmt::format("{}", input.size()), fmt::format("d = {}", spec.d));
  const std::vector<double> inverse = inverse_lengthscale(spec.lengthscale, spec.d);
  std::vector<double> unit(spec.d);
  double norm2 = 0.0;
  for (std::size_t l = 0; l < spec.d; ++l) {
    if (!std::isfinite(input[l]))
      refuse(fmt::format("{}[{}]", what, l), fmt::format("{}", input[l]), "a finite number");
    unit[l] = input[l] * inverse[inverse.size() == 1 ? 0 : l];
    norm2 += unit[l] * unit[l];
  }
  constexpr double kLargest = 1e300;  // sums of squared norms stay finite
  if (!(norm2 <= kLargest)) refuse(fmt::format("|{}/lengthscale|^2", what), fmt::format("{}", norm2), "at most 1e300");
  return unit;
}

Matrix<double> scaled(std::string_view what, MatrixView<const double> inputs, const Spec& spec) {
  Matrix<double> units(inputs.rows(), spec.d);
  for (std::size_t i = 0; i < inputs.rows(); ++i)
    std::ranges::copy(scaled(fmt::format("{}[{}]", what, i), inputs.row(i), spec), units.view().row(i).begin());
  return units;
}

/// Refuses a spec without a closed form.
[[noreturn]] void refuse_unknown(const Resolved& chosen) {
  const Spec& spec = chosen.spec;
  const std::vector<std::string_view> missing = missing_parameters(chosen.map.entry, spec.parameters);
  if (!missing.empty())
    throw std::invalid_argument(fmt::format(
        "map '{}' lacks parameter '{}': give it; optimal_parameters finds it from data", spec.map, missing.front()));
  throw std::invalid_argument(
      fmt::format("no closed form of the error is known for kernel '{}', map '{}', coupling '{}'", spec.kernel,
                  spec.map, spec.coupling));
}

}  // namespace

double mse(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  const Resolved chosen = resolve(spec);
  const std::optional<double> error = predicted_mse(chosen, scaled("x", x, spec), scaled("y", y, spec));
  if (!error) refuse_unknown(chosen);
  return *error;
}

std::vector<double> mse(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  if (X.rows() != Y.rows())
    refuse("Y", fmt::format("{} rows", Y.rows()), fmt::format("{}, one for each row of X", X.rows()));
  const Resolved chosen = resolve(spec);
  const auto errors = predicted_mses(chosen, {scaled("X", X, spec), scaled("Y", Y, spec)});
  if (!errors) refuse_unknown(chosen);
  return *errors;
}

double conformity(double norm, std::size_t d, std::string_view coupling, std::string_view map) {
  if (!(norm >= 0) || !std::isfinite(norm)) refuse("norm", fmt::format("{}", norm), "a finite number >= 0");
  const Angles angles = find_coupling(coupling).angles;
  if (const std::string reason = misfit("gaussian", map, coupling, d); !reason.empty())
    throw std::invalid_argument(reason);
  if (angles == Angles::unknown)
    refuse("coupling", fmt::format("'{}'", coupling), "one whose rows meet at a fixed angle or are independent");
  const std::string_view name = find_map(map).entry.name;
  const double v2 = norm * norm;
  const double c = angles == Angles::simplex ? -1 / (static_cast<double>(d) - 1) : 0;
  const bool independent = angles == Angles::independent;
  if (name == "positive") return std::exp(independent ? v2 : log_rho(v2, d, c));
  if (name == "positive_paired") return std::exp(independent ? v2 : log_rho_paired(v2, d, c));
  if (name == "trigonometric") return independent ? std::exp(-v2) : conf(v2, d, c);
  refuse("map", fmt::format("'{}'", map), "'positive', 'positive_paired' or 'trigonometric'");
}

Exactness exactness(const Spec& spec) {
  Resolved chosen = resolve(spec);
  const std::vector<double> zero(spec.d, 0.0);
  fit_to_origin(chosen);
  if (!predicted_mse(chosen, zero, zero)) return Exactness::none;
  return chosen.coupling.approximate ? Exactness::approximate : Exactness::exact;
}

std::string_view name_of(Exactness exactness) {
  switch (exactness) {
    case Exactness::exact:
      return "exact";
    case Exactness::approximate:
      return "approximate";
    case Exactness::none:
      break;
  }
  return "none";
}

Parameters optimal_parameters(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  const std::unique_ptr<Features> features = make_features(spec);
  const std::vector<std::string_view> missing =
      missing_parameters(find_map(features->spec().map).entry, features->spec().parameters);
  features->fit(X, Y);
  Parameters found;
  for (const std::string_view name : missing) found.insert(*features->spec().parameters.find(name));
  return found;
}

}  // namespace bochner::theory
