// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "accuracy/theory_input.h"
#include "bochner/theory.h"
#include "core/errors.h"
#include "core/parallel.h"
#include "core/parameter.h"
#include "features/defaults.h"
#include "theory/attention_variance.h"

namespace bochner::theory {
namespace {

/// A; 0 for maps that have none.
double weight_of(const Resolved& chosen) {
  need_parameters(chosen);
  const auto serves = [](const Map& map) { return map.positive && map.family == Family::exponential; };
  if (!serves(chosen.map)) refuse("map", fmt::format("'{}'", chosen.spec.map), maps_that(serves));
  if (chosen.spec.kernel != defaults::kSoftmaxKernel)
    refuse("kernel", fmt::format("'{}'", chosen.spec.kernel), fmt::format("'{}'", defaults::kSoftmaxKernel));
  if (chosen.coupling.angles != Angles::independent)
    refuse("coupling", fmt::format("'{}'", chosen.spec.coupling), "'iid': the formula is that of independent rows");
  return chosen.map.weighted ? number(chosen.spec.parameters, "A") : 0.0;
}

Matrix<double> in_lengthscales(MatrixView<const double> X, const Spec& spec) {
  Matrix<double> scaled(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l)
      scaled(i, l) = X(i, l) / spec.lengthscale[spec.lengthscale.size() == 1 ? 0 : l];
  return scaled;
}

/// The first order of (N + dN) / (D + dD): dN/D - out dD/D = sum_i (g_i - E g_i) (v_i - out) / D, whose mean is 0.
AttentionError error_of(const Matrix<double>& G, std::span<const double> weights, MatrixView<const double> V,
                        double m) {
  const std::size_t n = V.rows();
  AttentionError error{};
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) error.denominator += (G(i, j) - weights[i] * weights[j]) / m;
  for (std::size_t c = 0; c < V.cols(); ++c) {
    double out = 0;
    for (std::size_t i = 0; i < n; ++i) out += weights[i] * V(i, c);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        error.mse += (V(i, c) - out) * (V(j, c) - out) * G(i, j) / (m * static_cast<double>(V.cols()));
  }
  return error;
}

void check_finite(std::string_view name, MatrixView<const double> rows) {
  for (std::size_t i = 0; i < rows.rows(); ++i)
    for (std::size_t l = 0; l < rows.cols(); ++l)
      if (!std::isfinite(rows(i, l)))
        refuse(fmt::format("{}[{}, {}]", name, i, l), fmt::format("{}", rows(i, l)), "a finite number");
}

}  // namespace

std::vector<AttentionError> attention_error(const Spec& spec, MatrixView<const double> queries,
                                            MatrixView<const double> keys, MatrixView<const double> values) {
  const Resolved chosen = resolve_undrawn(spec);
  const double A = weight_of(chosen);
  if (queries.cols() != spec.d || keys.cols() != spec.d)
    refuse("queries and keys", fmt::format("{} and {} columns", queries.cols(), keys.cols()),
           fmt::format("{}", spec.d));
  if (keys.rows() == 0 || values.rows() != keys.rows() || values.cols() == 0)
    refuse("values", fmt::format("{} x {}", values.rows(), values.cols()),
           fmt::format("{} rows of at least one number, one for each key", std::max<std::size_t>(keys.rows(), 1)));
  check_finite("queries", queries);
  check_finite("keys", keys);
  check_finite("values", values);
  const Matrix<double> X = in_lengthscales(queries, chosen.spec), Y = in_lengthscales(keys, chosen.spec);
  const bool paired = chosen.map.paired;
  std::vector<AttentionError> errors(queries.rows());
  parallel_for(queries.rows(), 1, [&](std::size_t t, std::size_t) {
    std::vector<double> weights(keys.rows(), 0.0);
    double total = 0, top = 0;
    for (std::size_t i = 0; i < keys.rows(); ++i) {
      for (std::size_t l = 0; l < spec.d; ++l) weights[i] += X(t, l) * Y(i, l);
      top = i == 0 ? weights[0] : std::max(top, weights[i]);
    }
    for (double& weight : weights) total += weight = std::exp(weight - top);
    for (double& weight : weights) weight /= total;
    const Matrix<double> G = second_moments_of_weights(A, paired, X.view().row(t), Y.view(), space_of(chosen.spec));
    errors[t] = error_of(G, weights, values, static_cast<double>(chosen.spec.m));
  });
  return errors;
}

}  // namespace bochner::theory
