// SPDX-License-Identifier: Apache-2.0
#include "bochner/theory.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "accuracy/pair_errors.h"
#include "accuracy/theory_input.h"
#include "bochner/features.h"
#include "core/errors.h"

namespace bochner::theory {
namespace {

double moment_of(const Spec& spec, std::span<const double> x, std::span<const double> y, Moment moment) {
  const Resolved chosen = resolve_undrawn(spec);
  const std::optional<double> error = predicted_mse(chosen, scaled("x", x, spec), scaled("y", y, spec), moment);
  if (!error) refuse_unknown(chosen);
  return *error;
}

std::vector<double> moments_of(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y,
                               Moment moment) {
  const Resolved chosen = resolve_undrawn(spec);
  auto errors = predicted_mses(chosen, scaled_pairs(X, Y, spec), moment);
  if (!errors) refuse_unknown(chosen);
  return *std::move(errors);
}

}  // namespace

double mse(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  return moment_of(spec, x, y, Moment::mse);
}

std::vector<double> mse(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  return moments_of(spec, X, Y, Moment::mse);
}

double variance(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  return moment_of(spec, x, y, Moment::variance);
}

std::vector<double> variance(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  return moments_of(spec, X, Y, Moment::variance);
}

double bias(const Spec& spec, std::span<const double> x, std::span<const double> y) {
  const Resolved chosen = resolve_undrawn(spec);
  const std::optional<double> known = predicted_bias(chosen, scaled("x", x, spec), scaled("y", y, spec));
  if (!known) refuse_unknown(chosen);
  return *known;
}

std::vector<double> bias(const Spec& spec, MatrixView<const double> X, MatrixView<const double> Y) {
  const Resolved chosen = resolve_undrawn(spec);
  auto known = predicted_biases(chosen, scaled_pairs(X, Y, spec));
  if (!known) refuse_unknown(chosen);
  return *std::move(known);
}

double conformity(double norm, std::size_t d, std::string_view coupling, std::string_view map) {
  if (!(norm >= 0) || !std::isfinite(norm)) refuse("norm", fmt::format("{}", norm), "a finite number >= 0");
  const Angles angles = find_coupling(coupling).angles;
  if (const std::string reason = misfit(Spec{}.kernel, map, coupling, d); !reason.empty())
    throw std::invalid_argument(reason);
  if (angles == Angles::unknown)
    refuse("coupling", fmt::format("'{}'", coupling), "one whose rows meet at a fixed angle or are independent");
  const auto conformity_of = find_map(map).conformity;
  if (conformity_of == nullptr)
    refuse("map", fmt::format("'{}'", map), maps_that([](const Map& other) { return other.conformity != nullptr; }));
  std::optional<double> cosine = angles == Angles::simplex ? -1 / (static_cast<double>(d) - 1) : 0;
  if (angles == Angles::independent) cosine.reset();
  return conformity_of(norm * norm, d, cosine);
}

Exactness exactness(const Spec& spec) {
  Resolved chosen = resolve_undrawn(spec);
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
