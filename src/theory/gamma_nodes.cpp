// SPDX-License-Identifier: Apache-2.0
#include "theory/gamma_nodes.h"

#include <algorithm>
#include <cmath>

namespace bochner::theory {
namespace {

constexpr double kLogNegligible = -90.0;

/// log of the density of log G at log(shape) + u, relative to its peak at u = 0.
double log_density(double shape, double u) { return shape * (u - std::expm1(u)); }

}  // namespace

GammaRule gamma_rule(double shape, double lowest) {
  const double step = std::min(0.2, 0.5 / std::sqrt(shape));
  const double log_shape = std::log(shape);
  double u = 0.0;
  while (log_density(shape, u + step) > kLogNegligible) u += step;
  // Below this the density is e^{shape u} to the last digit.
  const double exponential = std::log(1e-18 / shape);
  const double last = std::max(std::min(lowest - log_shape, exponential), kLogNegligible / shape - 1.0);
  GammaRule rule{{}, 0.0};
  double total = 0.0;
  for (; u > last && log_density(shape, u) > kLogNegligible; u -= step) {
    rule.nodes.push_back({.weight = std::exp(log_density(shape, u)), .log_value = u + log_shape});
    total += rule.nodes.back().weight;
  }
  if (u <= exponential) rule.rest = rule.nodes.back().weight / std::expm1(shape * step);
  total += rule.rest;
  for (GammaNode& node : rule.nodes) node.weight /= total;
  rule.rest /= total;
  return rule;
}

}  // namespace bochner::theory
