// SPDX-License-Identifier: Apache-2.0
#include "theory/quadrature.h"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

namespace bochner::theory {

namespace {

constexpr double kNegligibleWeight = -50.0;

AngleNode make_node(double psi, double gauss_weight, double d) {
  const double half_sine = std::sin(psi / 2.0);
  const double versine = 2.0 * half_sine * half_sine;
  const double log_density = (d - 1.0) * std::log1p(-versine);
  return {.weight = gauss_weight * std::exp(log_density),
          .log_weight = std::log(gauss_weight) + log_density,
          .cosine = 1.0 - versine,
          .versine = versine};
}

/// Adds the panel [begin, end]; returns whether any of its nodes counts.
bool add_panel(double begin, double end, double d, double tilt, std::vector<AngleNode>& nodes) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const double middle = (begin + end) / 2.0;
  const double half = (end - begin) / 2.0;
  bool counts = false;
  for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
    for (const double side : {-1.0, 1.0}) {
      const AngleNode node = make_node(middle + side * half * Rule::abscissa()[i], half * Rule::weights()[i], d);
      if ((d - 1.0) * std::log1p(-node.versine) + tilt * node.versine < kNegligibleWeight) continue;
      nodes.push_back(node);
      counts = true;
    }
  }
  return counts;
}

}  // namespace

std::vector<AngleNode> angle_nodes(std::size_t d, AngleScale scale) {
  const double dim = static_cast<double>(d);
  // Beyond 1e30 the peak is narrower than the digits of psi and carries nothing.
  const double rate = std::min(scale.rate, 1e30);
  // At psi = 0 the peak has width 1/sqrt(d + rate); a tilted one is Gamma(d) in cos psi, of width sqrt(d)/tilt.
  const double narrow = 6.0 / std::sqrt(dim + rate);
  const double wide = 6.0 / std::max(std::sqrt(dim), scale.tilt / std::sqrt(dim));
  const double last = boost::math::constants::half_pi<double>();
  std::vector<AngleNode> nodes;
  for (double begin = 0.0; begin < last;) {
    const double width = std::min(std::max(narrow, begin / 3.0), wide);
    const double end = begin + 1.2 * width < last ? begin + width : last;
    // Without tilt the weights fall monotonically, so after the first panel that does not count none does.
    if (!add_panel(begin, end, dim, scale.tilt, nodes) && scale.tilt <= dim - 1.0) break;
    begin = end;
  }
  double total = 0.0;
  for (const AngleNode& node : nodes) total += node.weight;
  for (AngleNode& node : nodes) {
    node.weight /= total;
    node.log_weight -= std::log(total);
  }
  return nodes;
}

namespace {

constexpr double kNegligibleDensity = -90.0;

/// The logarithm of the density of log G at log(shape) + u, relative to its peak at u = 0.
double log_density(double shape, double u) { return shape * (u - std::expm1(u)); }

}  // namespace

GammaRule gamma_rule(double shape, double lowest) {
  const double step = std::min(0.2, 0.5 / std::sqrt(shape));
  const double log_shape = std::log(shape);
  double u = 0.0;
  while (log_density(shape, u + step) > kNegligibleDensity) u += step;
  // Below this u the density is e^{shape u} to the last digit.
  const double exponential = std::log(1e-18 / shape);
  const double last = std::max(std::min(lowest - log_shape, exponential), kNegligibleDensity / shape - 1.0);
  GammaRule rule{{}, 0.0};
  double total = 0.0;
  for (; u > last && log_density(shape, u) > kNegligibleDensity; u -= step) {
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
