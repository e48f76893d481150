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
    const double sine = std::sin(psi);
    // cos psi near 1 has too few digits left for a large power.
    const double density = weight * std::exp((n / 2.0 - 1.0) * std::log1p(-sine * sine));
    nodes.push_back({density, sine});
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

/// Nodes for integrands that oscillate by at most `phase` radians in u: 20 nodes on a panel of at most 6 radians or 4
/// standard deviations leave a relative error of 1e-15. The number of panels is a power of two, and each thread keeps
/// the last nodes for each number: neighbouring arguments need the same ones.
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

/// 1 - E cos(s u.e1) cos(s u'.e1) for two directions u, u' whose angle has the cosine c.
double pair_versine(double s, std::size_t D, double c) {
  const double far = mean_versine(s * std::sqrt(2.0 + 2.0 * c), D);
  return (far + mean_versine(s * std::sqrt(std::max(0.0, 2.0 - 2.0 * c)), D)) / 2.0;
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

// Larger distances are treated as this one: |L| is below 0.03 there (D = 2) and falls as z^{-(D-1)/2}.
constexpr double kLargestZ2 = 1e6;

/// -log L(sqrt(x)) = sum_k a_k / k, a_k = x^k sum_i j_i^{-2k} over the positive zeros j_i of L, by Kishore's recurrence
/// a_k = sum_{0<i<k} a_i a_{k-i} / (D/2 - 1 + k), a_1 = x / (2D): positive terms, for x below the square of the first
/// zero.
class LogTerms {
 public:
  /// Terms up to the first one below 1e-18 of the leading one, even when x is `stretch` times as large.
  LogTerms(double x, std::size_t D, double stretch) : terms_{x / (2.0 * static_cast<double>(D))} {
    const double offset = static_cast<double>(D) / 2.0 - 1.0;
    double power = stretch;
    do {
      double sum = 0.0;
      for (std::size_t i = 0; i < terms_.size(); ++i) sum += terms_[i] * terms_[terms_.size() - 1 - i];
      terms_.push_back(sum / (offset + static_cast<double>(terms_.size()) + 1.0));
      power *= stretch;
    } while (power * terms_.back() > 1e-18 * terms_[1] && terms_.size() < 200);
  }

  /// log L(s) + s^2 / (2D) = -sum_{k >= 2} a_k / k.
  double beyond_gaussian() const {
    return weighted([](double) { return 1.0; });
  }

  /// -sum_{k >= 2} weight(k) a_k / k.
  template <class Weight>
  double weighted(const Weight& weight) const {
    double sum = 0.0;
    for (std::size_t i = terms_.size(); i-- > 1;) {
      const double k = static_cast<double>(i) + 1.0;
      sum += weight(k) * terms_[i] / k;
    }
    return -sum;
  }

 private:
  std::vector<double> terms_;
};

/// Half a lower bound of the square of the first zero of L, j^2 > 4n sqrt(n+1) and (n-1)(n+1), n = D/2.
double half_first_zero(std::size_t D) {
  const double n = static_cast<double>(D) / 2.0;
  return std::max(4.0 * n * std::sqrt(n + 1.0), (n - 1.0) * (n + 1.0)) / 2.0;
}

/// b - e^{-z2/2}; the error is relative up to half of the first zero.
double fixed_norm_bias(double z2, std::size_t D) {
  const double x = static_cast<double>(D) * z2;
  if (x <= half_first_zero(D)) return std::exp(-z2 / 2.0) * std::expm1(LogTerms(x, D, 1.0).beyond_gaussian());
  return -std::expm1(-z2 / 2.0) - mean_versine(std::sqrt(x), D);
}

/// fixed_norm_terms where 4 D z2 is at most half of the first zero, from L(s) = e^{-z2/2 + delta(s)}, delta(s) =
/// -sum_{k>=2} a_k/k: every difference is between exponentials of small numbers that are known to the last digit.
FourierTerms near_fixed_norm_terms(double z2, std::size_t D) {
  const LogTerms terms(static_cast<double>(D) * z2, D, 4.0);
  const double delta = terms.beyond_gaussian(), delta_twice = terms.weighted([](double k) { return std::pow(4.0, k); });
  const double drop = std::expm1(-z2);
  const double variance =
      drop * drop / 2.0 + 0.5 * std::exp(-2.0 * z2) * std::expm1(delta_twice) - std::exp(-z2) * std::expm1(2.0 * delta);
  return {.variance = D == 1 ? 0.0 : variance,
          .bias = std::exp(-z2 / 2.0) * std::expm1(delta),
          .covariance = [terms, z2, delta](double c) {
            // b^2 (e^mean cosh(gap) - 1): half the sum and half the difference of log L(s sqrt(2 +- 2c)) - 2 log b.
            const auto power = [](double base) { return [base](double k) { return std::pow(base, k); }; };
            const double far = terms.weighted(power(2.0 + 2.0 * c)), near = terms.weighted(power(2.0 - 2.0 * c));
            const double gap = (far - near) / 2.0 - c * z2, sine = std::sinh(gap / 2.0);
            const double mean = terms.weighted(
                [c](double k) { return (std::pow(2.0 + 2.0 * c, k) + std::pow(2.0 - 2.0 * c, k)) / 2.0 - 2.0; });
            return std::exp(2.0 * delta - z2) * (std::expm1(mean) + 2.0 * sine * sine * std::exp(mean));
          }};
}

}  // namespace

FourierTerms gaussian_terms(double z2, std::size_t D) {
  const double drop = std::expm1(-z2);
  return {.variance = drop * drop / 2.0, .bias = 0.0, .covariance = [z2, D](double c) {
            return conf_difference(z2, D, c);
          }};
}

FourierTerms fixed_norm_terms(double z2, std::size_t D) {
  z2 = std::min(z2, kLargestZ2);
  const double x = static_cast<double>(D) * z2, s = std::sqrt(x);
  if (4.0 * x <= half_first_zero(D)) return near_fixed_norm_terms(z2, D);
  const double drop = mean_versine(s, D);
  return {.variance = versine_variance(s, D), .bias = fixed_norm_bias(z2, D), .covariance = [s, D, drop](double c) {
            return 2.0 * drop - drop * drop - pair_versine(s, D, c);
          }};
}

double fixed_norm_conformity(double z2, std::size_t D, double c) {
  return 1.0 - pair_versine(std::sqrt(static_cast<double>(D) * std::min(z2, kLargestZ2)), D, c);
}

FourierTerms independent_terms(double variance) {
  return {
      .variance = variance, .bias = 0.0, .covariance = [](double) { return std::numeric_limits<double>::quiet_NaN(); }};
}

double variance_laplace(std::span<const double> z) {
  double sum = 0.0;
  for (const double entry : z) sum += std::abs(entry);
  return -std::expm1(-2.0 * sum) / 2.0;
}

/// With s = z_l^2: (1+s)^4 / (1+4s) = 1 + s^2 (6 + 4s + s^2) / (1+4s), whose logarithms add up to log k(2z) / k(z)^4.
/// For s > 1 that quotient is large and no digits are at stake.
double variance_cauchy(std::span<const double> z) {
  double log_kernel = 0.0;
  double log_ratio = 0.0;
  for (const double entry : z) {
    const double s = entry * entry;
    log_kernel -= std::log1p(s);
    log_ratio += s > 1.0 ? 4.0 * std::log1p(s) - std::log1p(4.0 * s)
                         : std::log1p(s * s * (6.0 + 4.0 * s + s * s) / (1.0 + 4.0 * s));
  }
  const double drop = std::expm1(2.0 * log_kernel);
  const double rest = log_ratio > 1.0 ? std::exp(4.0 * log_kernel + log_ratio) - std::exp(4.0 * log_kernel)
                                      : std::exp(4.0 * log_kernel) * std::expm1(log_ratio);
  return (drop * drop + rest) / 2.0;
}

}  // namespace bochner::theory
