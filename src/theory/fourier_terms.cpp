// SPDX-License-Identifier: Apache-2.0
#include "theory/fourier_terms.h"

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "theory/conformity.h"

namespace bochner::theory {
namespace {

/// The coordinate u = sin(psi) of a uniform direction in R^D, psi with density ~ cos^{D-2} psi on (-pi/2, pi/2); folded
/// to psi > 0 by symmetry.
struct Coordinate {
  double weight;
  double value;
};

/// Composite Gauss-Legendre nodes on this number of panels.
std::vector<Coordinate> make_coordinates(std::size_t D, std::size_t panels, double last) {
  using Rule = boost::math::quadrature::gauss<double, 20>;
  const double n = static_cast<double>(D);
  std::vector<Coordinate> nodes;
  double total = 0.0;
  const auto add = [&](double psi, double weight) {
    const double density = weight * std::pow(std::cos(psi), n - 2.0);
    nodes.push_back({density, std::sin(psi)});
    total += density;
  };
  for (std::size_t p = 0; p < panels; ++p) {
    const double half = last / static_cast<double>(2 * panels);
    const double middle = half * static_cast<double>(2 * p + 1);
    for (std::size_t i = 0; i < Rule::abscissa().size(); ++i) {
      add(middle - half * Rule::abscissa()[i], Rule::weights()[i]);
      add(middle + half * Rule::abscissa()[i], Rule::weights()[i]);
    }
  }
  for (Coordinate& node : nodes) node.weight /= total;
  return nodes;
}

/// Nodes for integrands that oscillate at most `phase` radians in u: 20 nodes on a panel of at most 6 radians or 4
/// standard deviations leave a relative error of 1e-15. The number of panels is a power of two, and each thread keeps
/// the nodes it had last for it: neighbouring arguments ask for the same.
const std::vector<Coordinate>& sphere_coordinates(std::size_t D, double phase) {
  static const std::vector<Coordinate> line = {{1.0, 1.0}};
  if (D == 1) return line;
  const double n = static_cast<double>(D);
  const double last = std::min(std::numbers::pi / 2, 9.0 / std::sqrt(n));
  const double panel = std::min({6.0 / std::max(phase, 1e-300), 4.0 / std::sqrt(n), last});
  const std::size_t panels = std::bit_ceil(static_cast<std::size_t>(std::ceil(last / panel)));
  struct Kept {
    std::size_t D = 0;
    std::vector<Coordinate> nodes;
  };
  static thread_local std::array<Kept, 24> kept;
  Kept& slot = kept[std::min<std::size_t>(std::bit_width(panels), kept.size() - 1)];
  if (slot.D != D || slot.nodes.size() != 20 * panels) slot = {D, make_coordinates(D, panels, last)};
  return slot.nodes;
}

/// 1 - cos t without cancellation.
double versine(double t) {
  const double half = std::sin(t / 2.0);
  return 2.0 * half * half;
}

/// 1 - L(t).
double mean_versine(double t, std::size_t D) {
  double sum = 0.0;
  for (const Coordinate& u : sphere_coordinates(D, t)) sum += u.weight * versine(t * u.value);
  return sum;
}

/// Var cos(t u_1).
double versine_variance(double t, std::size_t D) {
  const double mean = mean_versine(t, D);
  double sum = 0.0;
  for (const Coordinate& u : sphere_coordinates(D, 2.0 * t)) {
    const double centred = versine(t * u.value) - mean;
    sum += u.weight * centred * centred;
  }
  return sum;
}

// Larger distances count as this one: |L| is below 0.03 there (D = 2) and falls as z^{-(D-1)/2}.
constexpr double kLargestZ2 = 1e6;

}  // namespace

FourierTerms gaussian_terms(double z2, std::size_t D) {
  const double drop = std::expm1(-z2);
  return {.variance = drop * drop / 2.0, .bias = 0.0, .covariance = [z2, D](double c) {
            return conf_difference(z2, D, c);
          }};
}

FourierTerms fixed_norm_terms(double z2, std::size_t D) {
  const double s = std::sqrt(static_cast<double>(D) * std::min(z2, kLargestZ2));
  const double drop = mean_versine(s, D);
  return {
      .variance = versine_variance(s, D), .bias = -std::expm1(-z2 / 2.0) - drop, .covariance = [s, D, drop](double c) {
        const double far = mean_versine(s * std::sqrt(2.0 + 2.0 * c), D);
        const double near = mean_versine(s * std::sqrt(std::max(0.0, 2.0 - 2.0 * c)), D);
        return 2.0 * drop - drop * drop - (far + near) / 2.0;
      }};
}

FourierTerms independent_terms(double variance) {
  return {
      .variance = variance, .bias = 0.0, .covariance = [](double) { return std::numeric_limits<double>::quiet_NaN(); }};
}

}  // namespace bochner::theory
