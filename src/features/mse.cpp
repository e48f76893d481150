// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "bochner/features.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "features/check.h"
#include "features/predict.h"

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

}  // namespace

double mse(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  const Resolved chosen = resolve(spec);
  const std::optional<double> error = predicted_mse(chosen, scaled("x", x, spec), scaled("y", y, spec));
  if (error) return *error;
  throw std::invalid_argument(
      fmt::format("no closed form of the error is known for kernel '{}', map '{}', coupling '{}'", chosen.spec.kernel,
                  chosen.spec.map, chosen.spec.coupling));
}

Exactness exactness(const Spec& spec) {
  Resolved chosen = resolve(spec);
  const std::vector<double> zero(spec.d, 0.0);
  fit_to_origin(chosen);
  if (!predicted_mse(chosen, zero, zero)) return Exactness::none;
  return chosen.coupling.approximate ? Exactness::approximate : Exactness::exact;
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
