// SPDX-License-Identifier: Apache-2.0
#include "theory/matern_variance.h"

#include <cmath>

#include "theory/gamma_nodes.h"

namespace bochner::theory {

double variance_matern(double nu, double z2) {
  if (z2 == 0.0) return 0.0;
  // Where s z2 / 2 > 750 the exponentials are 0.
  const double log_half = std::log(nu) + std::log(z2) - std::log(2.0);
  const GammaRule rule = gamma_rule(nu, log_half - std::log(750.0));
  const auto drop = [&](const GammaNode& node) { return -std::expm1(-std::exp(log_half - node.log_value)); };
  double mean = rule.rest;
  double within = rule.rest;
  for (const GammaNode& node : rule.nodes) {
    const double one = drop(node);
    const double two = one * (2.0 - one);
    mean += node.weight * one;
    within += node.weight * two * two;
  }
  double between = rule.rest * (1.0 - mean) * (1.0 - mean);
  for (const GammaNode& node : rule.nodes) {
    const double deviation = drop(node) - mean;
    between += node.weight * deviation * deviation;
  }
  return within / 2.0 + between;
}

}  // namespace bochner::theory
