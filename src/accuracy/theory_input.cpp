// SPDX-License-Identifier: Apache-2.0
#include "accuracy/theory_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "core/parameter.h"
#include "features/check.h"

namespace bochner::theory {
namespace {

void scale(std::string_view what, std::span<const double> input, std::span<const double> inverse,
           std::span<double> unit) {
  if (input.size() != unit.size())
    refuse(fmt::format("{}.size()", what), fmt::format("{}", input.size()), fmt::format("d = {}", unit.size()));
  double norm2 = 0.0;
  for (std::size_t l = 0; l < unit.size(); ++l) {
    if (!std::isfinite(input[l]))
      refuse(fmt::format("{}[{}]", what, l), fmt::format("{}", input[l]), "a finite number");
    unit[l] = input[l] * inverse[inverse.size() == 1 ? 0 : l];
    norm2 += unit[l] * unit[l];
  }
  constexpr double kLargest = 1e300;  // sums of squared norms stay finite
  if (!(norm2 <= kLargest)) refuse(fmt::format("|{}/lengthscale|^2", what), fmt::format("{}", norm2), "at most 1e300");
}

Matrix<double> scaled_rows(std::string_view what, MatrixView<const double> inputs, const Spec& spec) {
  constexpr std::size_t kRowsPerTask = 256;
  const std::vector<double> inverse = inverse_lengthscale(spec.lengthscale, spec.d);
  Matrix<double> units(inputs.rows(), spec.d);
  parallel_for(inputs.rows(), kRowsPerTask, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i)
      scale(fmt::format("{}[{}]", what, i), inputs.row(i), inverse, units.view().row(i));
  });
  return units;
}

}  // namespace

std::string maps_that(bool (*serves)(const Map& map)) {
  std::vector<std::string_view> names;
  for (const Map* map : registered_maps())
    if (serves(*map)) names.push_back(map->entry.name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i)
    list += fmt::format("{}'{}'", i == 0 ? "" : i + 1 < names.size() ? ", " : " or ", names[i]);
  return list;
}

std::vector<double> scaled(std::string_view what, std::span<const double> input, const Spec& spec) {
  std::vector<double> unit(spec.d);
  scale(what, input, inverse_lengthscale(spec.lengthscale, spec.d), unit);
  return unit;
}

Pairs scaled_pair(std::span<const double> x, std::span<const double> y, const Spec& spec) {
  Matrix<double> X(1, spec.d), Y(1, spec.d);
  std::ranges::copy(scaled("x", x, spec), X.view().row(0).begin());
  std::ranges::copy(scaled("y", y, spec), Y.view().row(0).begin());
  return {std::move(X), std::move(Y)};
}

Pairs scaled_pairs(MatrixView<const double> X, MatrixView<const double> Y, const Spec& spec) {
  if (X.rows() != Y.rows())
    refuse("Y", fmt::format("{} rows", Y.rows()), fmt::format("{}, one for each row of X", X.rows()));
  return {scaled_rows("X", X, spec), scaled_rows("Y", Y, spec)};
}

void need_parameters(const Resolved& chosen) {
  const std::vector<std::string_view> missing = missing_parameters(chosen.map.entry, chosen.spec.parameters);
  if (missing.empty()) return;
  throw std::invalid_argument(
      fmt::format("map '{}' lacks parameter '{}': give it; optimal_parameters finds it from data", chosen.spec.map,
                  missing.front()));
}

void refuse_unknown(const Resolved& chosen) {
  need_parameters(chosen);
  throw std::invalid_argument(
      fmt::format("no closed form of the error is known for kernel '{}', map '{}', coupling '{}'; estimated_mse draws "
                  "features to tell",
                  chosen.spec.kernel, chosen.spec.map, chosen.spec.coupling));
}

}  // namespace bochner::theory
