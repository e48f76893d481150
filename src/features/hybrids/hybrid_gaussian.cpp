// SPDX-License-Identifier: Apache-2.0
// hybrid_gaussian (Choromanski et al., 2022, normalised bipolar variant): lambda P + (1 - lambda) T, where P is the
// estimate by positive_paired, T the estimate by trigonometric, and lambda = (1 - G)/rho0. G estimates exp(-sigma^2
// |x-y|^2 / 2) by `lambda_m` rows of `lambda_map`, and rho0 = 1 - exp(-2 sigma^2 radius^2), so that lambda is 1 for
// opposite inputs of norm `radius` and 0 for equal ones. Unbiased. Trigonometric G: no error at x = y; positive G: none
// at y = -x, |x| = radius. radius = 'none': rho0 = 1. Where sigma radius is small, so is 1 - G: it is multiplied by
// about 1/(2 sigma^2 radius^2), and its rounding error with it. Error in theory/hybrid.h. Outputs: P, G (x) P, T, G (x)
// T: 4 (1 + w lambda_m) m numbers, w = 1 for positive G, 2 for the others; without radius the third section has factor
// 0 and is left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/errors.h"
#include "core/parameter.h"
#include "features/hybrids/hybrid_parameters.h"
#include "features/hybrids/hybrid_parts.h"
#include "maps/feature_map.h"
#include "theory/hybrid.h"

namespace bochner {
namespace {

/// Limits of sigma radius. Below the first, 1 - G has lost all digits of a double; fit gives at least the second, at
/// which rounding to float is an error of 0.2 %. Any radius is unbiased, and features of such short rows are all alike.
constexpr double kLeastProduct = 1e-8, kLeastFitted = 0x1p-8, kLargestFitted = 1e300;

std::optional<double> radius_of(const Parameters& parameters) {
  const double* radius = std::get_if<double>(&parameters.find("radius")->second);
  return radius == nullptr ? std::nullopt : std::optional(*radius);
}

/// -2 sigma^2 radius^2, even where the square of sigma is out of range.
double largest_exponent(double sigma, double radius) {
  const double product = sigma * radius;
  return std::isnormal(sigma * sigma) ? -2 * sigma * sigma * radius * radius : -2 * product * product;
}

std::unique_ptr<Features> compose(const Spec& spec) {
  const BipolarBases bases = bipolar_bases(spec);
  const double sigma = number(spec.parameters, "sigma");
  const std::optional<double> radius = radius_of(spec.parameters);
  if (radius && !(sigma * *radius >= kLeastProduct))
    refuse("radius", fmt::format("{} with sigma = {}", *radius, sigma),
           fmt::format("sigma * radius >= {}: below, rounding is all that is left of the coefficient", kLeastProduct));
  // The third section has the factor 1 - inverse. We keep inverse above 1, so that rounding cannot change the number of
  // outputs.
  constexpr double kAboveOne = 1 + 0x1p-52;
  const double inverse = radius ? std::max(-1 / std::expm1(largest_exponent(sigma, *radius)), kAboveOne) : 1;
  const FeaturesPart G = make_part(gaussian_coefficient_spec(spec, 1 / sigma, 2));
  return registered(spec, hybrid({{inverse, scaled(-inverse, G), bases.positive}}, bases.trigonometric));
}

std::optional<double> mse(const ErrorRequest& at) {
  const Parameters& parameters = at.spec.parameters;
  const bool shared = flag(parameters, "shared");
  if (!at.independent && shared) return std::nullopt;
  const double sigma = number(parameters, "sigma"), s2 = sigma * sigma;
  const double V =
      at.part(2, {s2 * at.pair.nx, s2 * at.pair.ny, s2 * at.pair.dot, s2 * at.pair.v2, s2 * at.pair.z2}, 0.0);
  return theory::mse_hybrid(theory::gaussian_coefficient(at.pair.z2, sigma, radius_of(parameters), V),
                            at.part(0, at.pair, at.log_factor), at.part(1, at.pair, at.log_factor),
                            shared ? theory::shared_rows_covariance(at.pair, at.log_factor, at.blocks.m) : 0.0);
}

ErrorFormula formula(const Spec& spec) {
  std::vector<Spec> parts = bipolar_specs(spec);
  parts.push_back(gaussian_coefficient_spec(spec, 1.0, 2));
  return {mse, parts};
}

/// The root of the mean squared norm of queries and keys, but at least `least`; at least 1 where all rows are 0.
Parameters fit(const FitRequest& request) {
  double sum = 0;
  for (const DataStatistics* side : {&request.queries, &request.keys})
    for (std::size_t l = 0; l < side->d(); ++l) sum += side->mean_square(l) / 2;
  const double least = std::min(kLeastFitted / number(request.spec.parameters, "sigma"), kLargestFitted);
  return {{"radius", sum > 0 ? std::max(std::sqrt(sum), least) : std::max(1.0, least)}};
}

constexpr Parameter kParameters[] = {
    kLambdaRows,
    kSharedRows,
    kLambdaMap,
    {.name = "sigma",
     .standard = "1",
     .allowed = "a finite number > 0",
     .meaning = "inverse width of the Gaussian coefficient, in units of the lengthscale",
     .accepts = [](const Value& value, std::size_t) { return is_positive(value); },
     .fallback = [](std::size_t) -> Value { return 1.0; }},
    {.name = "radius",
     .standard = "from data: the root of the mean squared norm",
     .allowed = "a finite number > 0, or 'none'",
     .meaning = "norm of the inputs at which the coefficient goes from 0 to 1; 'none': it is not normalised",
     .accepts = [](const Value& value, std::size_t) { return is_positive(value) || is_word(value, "none"); },
     .fallback = nullptr},
};

/// Before fit the radius is unknown, but it will be a number, not 'none'.
std::size_t width(const Parameters& parameters) {
  const auto radius = parameters.find("radius");
  const bool normalised = radius == parameters.end() || !is_word(radius->second, "none");
  return 4 * count(parameters, "lambda_m") * lambda_width(parameters) + (normalised ? 4 : 2);
}

}  // namespace

extern const Map hybrid_gaussian_map;
const Map hybrid_gaussian_map = {
    .entry = {.name = "hybrid_gaussian",
              .aliases = "",
              .formula = "lambda positive_paired + (1 - lambda) trigonometric, lambda = (1 - G)/(1 - e^{-2 sigma^2 "
                         "radius^2}), G a Gaussian of x - y",
              .summary = "as hybrid_angular with a coefficient that turns over at a distance of choice",
              .reference = "Choromanski et al. 2022",
              .parameters = kParameters},
    .width = width,
    .symmetric = false,
    .family = Family::exponential,
    .formula = formula,
    .argument = fixed_argument<Argument::invariant>,
    .compose = compose,
    .fit = fit,
};

}  // namespace bochner
