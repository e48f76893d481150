// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <complex>
#include <stdexcept>

#include "accuracy/theory_input.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "core/parameter.h"
#include "theory/generalised_exponential.h"

namespace bochner::theory {
namespace {

/// A, refused where the theorem does not hold.
double negative_weight(const Resolved& chosen) {
  need_parameters(chosen);
  const Parameters& parameters = chosen.spec.parameters;
  const auto serves = [](const Map& map) { return map.weighted; };
  if (!serves(chosen.map))
    refuse("map", fmt::format("'{}'", chosen.spec.map),
           maps_that(serves) + ", whose features are bounded and positive");
  if (parameters.contains("s") && number(parameters, "s") != 1)
    refuse("s", "-1", "1: the bound is that of positive features");
  if (chosen.coupling.angles != Angles::independent)
    refuse("coupling", fmt::format("'{}'", chosen.spec.coupling), "'iid': the bound is that of independent rows");
  const std::complex<double> A = complex_number(parameters, "A");
  if (A.imag() != 0 || !(A.real() < 0))
    refuse("A", shown(parameters.find("A")->second), "a real number < 0: features are bounded for no other");
  return A.real();
}

double bound_at(const Resolved& chosen, const PairGeometry& pair, double A, double t) {
  const double log_b = log_feature_product_bound(A, pair, log_factor(chosen.kernel, pair), space_of(chosen.spec));
  return tail_bound(log_b, t, chosen.spec.m);
}

std::vector<double> bounds_at(const Resolved& chosen, const Pairs& pairs, double t) {
  if (!(t >= 0)) refuse("t", fmt::format("{}", t), "a number >= 0");
  const double A = negative_weight(chosen);
  std::vector<double> bounds;
  for (const PairGeometry& pair : pairs.geometry) bounds.push_back(bound_at(chosen, pair, A, t));
  return bounds;
}

}  // namespace

double tail_bound(const Spec& spec, std::span<const double> x, std::span<const double> y, double t) {
  return bounds_at(resolve_undrawn(spec), scaled_pair(x, y, spec), t).front();
}

std::vector<double> tail_bound(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y, double t) {
  return bounds_at(resolve_undrawn(spec), scaled_pairs(X, Y, spec), t);
}

}  // namespace bochner::theory
