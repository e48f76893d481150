// SPDX-License-Identifier: Apache-2.0
#include "features/pair_error.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/parameter.h"

namespace bochner {
namespace {

using theory::BlockStructure;
using theory::FourierTerms;
using theory::PairGeometry;

/// Which of the m rows of a draw depend on each other.
BlockStructure blocks_of(const Coupling& coupling, std::size_t m, std::size_t D) {
  if (coupling.angles == Angles::orthogonal) return theory::orthogonal_blocks(m, D);
  if (coupling.angles == Angles::simplex) return theory::simplex_blocks(m, D);
  return theory::iid_blocks(m, D);
}

ErrorFormula formula_of(const Resolved& chosen) {
  const Map& map = chosen.map;
  if (chosen.coupling.angles == Angles::unknown) return {};
  if (!missing_parameters(map.entry, chosen.spec.parameters).empty()) return {};
  if (map.formula != nullptr) return map.formula(chosen.spec);
  if (map.mse == nullptr) return {};
  return {.mse = map.mse};
}

}  // namespace

PairGeometry geometry_of(std::span<const double> x, std::span<const double> y) {
  PairGeometry pair{};
  for (std::size_t l = 0; l < x.size(); ++l) {
    pair.nx += x[l] * x[l];
    pair.ny += y[l] * y[l];
    pair.dot += x[l] * y[l];
    pair.v2 += (x[l] + y[l]) * (x[l] + y[l]);
    pair.z2 += (x[l] - y[l]) * (x[l] - y[l]);
  }
  return pair;
}

bool has_fixed_norms(const Resolved& chosen) {
  const auto norms = chosen.spec.parameters.find("norms");
  return chosen.coupling.fixed_norms || (norms != chosen.spec.parameters.end() && is_word(norms->second, "fixed"));
}

PreparedError::PreparedError(const Resolved& chosen, Moment moment)
    : chosen_(chosen),
      moment_(moment),
      D_(space_of(chosen.spec)),
      blocks_(blocks_of(chosen.coupling, chosen.spec.m, D_)),
      formula_(formula_of(chosen)) {
  for (const Spec& part : formula_.parts) parts_.emplace_back(check_spec(part), moment);
}

double log_factor(const Kernel& kernel, const PairGeometry& pair) {
  return 2.0 * kernel.norm_exponent() * (pair.nx + pair.ny);
}

Argument PreparedError::argument() const {
  const Parameters& parameters = chosen_.spec.parameters;
  if (!formula_.mse || chosen_.map.argument == nullptr) return Argument::pair;
  return law_of(chosen_.kernel, chosen_.map, parameters).isotropic ? chosen_.map.argument(parameters) : Argument::pair;
}

std::optional<FourierTerms> PreparedError::fourier_terms(std::span<const double> z, double z2) const {
  std::optional<FourierTerms> terms = has_fixed_norms(chosen_)
                                          ? theory::fixed_norm_terms(z2, D_)
                                          : chosen_.kernel.fourier_terms(z, D_, chosen_.spec.parameters);
  if (terms && moment_ == Moment::variance) terms->bias = 0.0;
  return terms;
}

std::optional<double> PreparedError::evaluate(const InputPair& pair, double log_factor, const PartError& part,
                                              const std::function<std::optional<FourierTerms>()>& terms) const {
  if (!formula_.mse) return std::nullopt;
  const std::optional<double> error = formula_.mse({.spec = chosen_.spec,
                                                    .x = pair.x,
                                                    .y = pair.y,
                                                    .pair = pair.geometry,
                                                    .log_factor = log_factor,
                                                    .blocks = blocks_,
                                                    .independent = chosen_.coupling.angles == Angles::independent,
                                                    .fourier_terms = terms,
                                                    .part = part});
  // A variance whose terms cancel may be a rounding error below 0.
  return error && *error < 0.0 ? 0.0 : error;
}

std::optional<double> PreparedError::at(const InputPair& pair, double log_factor, const PartError& part) const {
  return evaluate(pair, log_factor, part, [&] {
    std::vector<double> z(pair.x.size());
    std::transform(pair.x.begin(), pair.x.end(), pair.y.begin(), z.begin(), std::minus<>());
    return fourier_terms(z, pair.geometry.z2);
  });
}

std::optional<double> PreparedError::at(const InputPair& pair, double log_factor) const {
  return at(pair, log_factor, [this](std::size_t part, const PairGeometry& geometry, double factor) {
    return parts_[part].at(geometry, factor).value_or(std::numeric_limits<double>::quiet_NaN());
  });
}

std::optional<double> PreparedError::at(const PairGeometry& pair, double log_factor) const {
  return evaluate({.x = {}, .y = {}, .geometry = pair}, log_factor, {}, [&] {
    const double z = std::sqrt(pair.z2);
    return fourier_terms({&z, 1}, pair.z2);
  });
}

double kernel_at(const Kernel& kernel, std::span<const double> x, std::span<const double> y,
                 const Parameters& parameters) {
  double value = 0.0;
  kernel.gram({x.data(), 1, x.size()}, {y.data(), 1, y.size()}, {&value, 1, 1}, parameters);
  return value;
}

void fit_to_origin(Resolved& chosen) {
  if (missing_parameters(chosen.map.entry, chosen.spec.parameters).empty() || chosen.map.fit == nullptr) return;
  const std::vector<double> zero(chosen.spec.d, 0.0);
  DataStatistics origin(chosen.spec.d);
  origin.add({zero.data(), 1, zero.size()});
  // Maps that look for clusters need rows that differ, if only slightly.
  const RowReader rows{1024, [](std::size_t first, MatrixView<double> out) {
                         for (std::size_t i = 0; i < out.rows(); ++i) {
                           std::ranges::fill(out.row(i), 0.0);
                           out(i, 0) = 0x1p-40 * static_cast<double>(first + i);
                         }
                       }};
  Parameters found = chosen.map.fit({chosen.spec, space_of(chosen.spec), origin, origin, rows, rows});
  chosen.spec.parameters.merge(found);
}

std::optional<double> predicted_mse(const Resolved& chosen, std::span<const double> x, std::span<const double> y,
                                    Moment moment) {
  const PreparedError error(chosen, moment);
  const PairGeometry pair = geometry_of(x, y);
  return error.at({x, y, pair}, log_factor(chosen.kernel, pair));
}

std::optional<double> predicted_bias(const Resolved& chosen, std::span<const double> x, std::span<const double> y) {
  const auto& [kernel, map, coupling, spec] = chosen;
  if (map.family == Family::fourier && has_fixed_norms(chosen)) {
    const PairGeometry pair = geometry_of(x, y);
    const double bias = theory::fixed_norm_terms(pair.z2, space_of(spec)).bias;
    return std::copysign(theory::times_exp(std::abs(bias), log_factor(kernel, pair) / 2.0), bias);
  }
  // Signs ignore norms, so exact directions are enough.
  const bool unbiased = coupling.entry.bias.empty() || (map.family == Family::sign && !coupling.approximate);
  if (unbiased && map.entry.bias.empty()) return 0.0;
  const PreparedError error(chosen);
  const PairGeometry pair = geometry_of(x, y);
  return error.at({x, y, pair}, log_factor(chosen.kernel, pair)) ? std::optional(0.0) : std::nullopt;
}

}  // namespace bochner
