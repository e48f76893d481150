// SPDX-License-Identifier: Apache-2.0
#include "features/predict.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/parameter.h"
#include "features/error_table.h"
#include "theory/blocks.h"
#include "theory/variance.h"

namespace bochner {
namespace {

using theory::BlockStructure;
using theory::FourierTerms;
using theory::PairGeometry;

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

bool has_fixed_norms(const Coupling& coupling, const Parameters& parameters) {
  const auto norms = parameters.find("norms");
  return coupling.fixed_norms || (norms != parameters.end() && is_word(norms->second, "fixed"));
}

std::optional<FourierTerms> fourier_terms(const Resolved& chosen, std::span<const double> x, std::span<const double> y,
                                          const PairGeometry& pair, std::size_t D) {
  const auto& [kernel, map, coupling, spec] = chosen;
  if (has_fixed_norms(coupling, spec.parameters)) return theory::fixed_norm_terms(pair.z2, D);
  std::vector<double> z(x.size());
  std::transform(x.begin(), x.end(), y.begin(), z.begin(), std::minus<>());
  return kernel.fourier_terms(z, D, spec.parameters);
}

}  // namespace

BlockStructure blocks_of(const Coupling& coupling, std::size_t m, std::size_t D) {
  if (coupling.angles == Angles::orthogonal) return theory::orthogonal_blocks(m, D);
  if (coupling.angles == Angles::simplex) return theory::simplex_blocks(m, D);
  return theory::iid_blocks(m, D);
}

void fit_to_origin(Resolved& chosen) {
  if (missing_parameters(chosen.map.entry, chosen.spec.parameters).empty() || chosen.map.fit == nullptr) return;
  const std::vector<double> zero(chosen.spec.d, 0.0);
  DataStatistics origin(chosen.spec.d);
  origin.add({zero.data(), 1, zero.size()});
  // Maps that look for clusters need rows that differ, if only by little.
  const RowReader rows{1024, [](std::size_t first, MatrixView<double> out) {
                         for (std::size_t i = 0; i < out.rows(); ++i) {
                           std::ranges::fill(out.row(i), 0.0);
                           out(i, 0) = 0x1p-40 * static_cast<double>(first + i);
                         }
                       }};
  Parameters found = chosen.map.fit({chosen.spec, space_of(chosen.spec), origin, origin, rows, rows});
  chosen.spec.parameters.merge(found);
}

std::optional<double> predicted_mse(const Resolved& chosen, std::span<const double> x, std::span<const double> y) {
  const auto& [kernel, map, coupling, spec] = chosen;
  if (coupling.angles == Angles::unknown || map.mse == nullptr) return std::nullopt;
  if (!missing_parameters(map.entry, spec.parameters).empty()) return std::nullopt;
  const PairGeometry pair = geometry_of(x, y);
  const std::size_t D = space_of(spec);
  return map.mse({.spec = spec,
                  .x = x,
                  .y = y,
                  .pair = pair,
                  .log_factor = 2.0 * kernel.norm_exponent() * (pair.nx + pair.ny),
                  .blocks = blocks_of(coupling, spec.m, D),
                  .independent = coupling.angles == Angles::independent,
                  .fourier_terms = [&] { return fourier_terms(chosen, x, y, pair, D); }});
}

Pairs::Pairs(Matrix<double> first, Matrix<double> second)
    : X(std::move(first)), Y(std::move(second)), geometry(X.rows()) {
  for (std::size_t i = 0; i < X.rows(); ++i) geometry[i] = geometry_of(X.view().row(i), Y.view().row(i));
}

std::optional<std::vector<double>> predicted_mses(const Resolved& chosen, const Pairs& pairs) {
  constexpr std::size_t kMany = 256;
  constexpr std::size_t kPairsPerTask = 64;
  const std::vector<double> zero(chosen.spec.d, 0.0);
  if (!predicted_mse(chosen, zero, zero)) return std::nullopt;
  // Whether there is a formula may depend on the pair: a clustered hybrid has real and complex bases.
  std::atomic<bool> known = true;
  std::vector<double> errors(pairs.size());
  const auto for_each_pair = [&](const auto& error_of) {
    parallel_for(pairs.size(), kPairsPerTask, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) errors[i] = error_of(i);
    });
  };
  const auto table = pairs.size() < kMany ? std::nullopt : ErrorTable::build(chosen, pairs.geometry);
  if (table)
    for_each_pair([&](std::size_t i) { return table->mse(pairs.geometry[i]); });
  else
    for_each_pair([&](std::size_t i) {
      const std::optional<double> error = predicted_mse(chosen, pairs.X.view().row(i), pairs.Y.view().row(i));
      if (!error) known = false;
      return error.value_or(0);
    });
  return known ? std::optional(std::move(errors)) : std::nullopt;
}

}  // namespace bochner
