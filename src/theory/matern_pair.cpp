// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "theory/angle_nodes.h"
#include "theory/gamma_nodes.h"
#include "theory/log_table.h"
#include "theory/matern_variance.h"
#include "theory/orthogonal_pair.h"

namespace bochner::theory {
namespace {

// 1F1(d; d/2; -x) is 1 - 2x to the last digit below e^-18.5, and below 1e-15 above e^11.5 (x^-3 at d = 3).
constexpr double kLogSmall = -18.5;
constexpr double kLogLarge = 11.5;

LogTable orthogonal_pair_table(std::size_t d) {
  return {kLogSmall, kLogLarge, [d](double log_x) {
            const double z2 = 2.0 * std::exp(log_x);
            return conf_difference_orthogonal(z2, d) + std::exp(-z2);
          }};
}

/// H(y) = E_T 1F1(d; d/2; -y / T), T ~ Gamma(2 nu), as a table over log y from `first` on.
LogTable mixture_table(double nu, std::size_t d, double first) {
  const LogTable pair = orthogonal_pair_table(d);
  const GammaRule rule = gamma_rule(2.0 * nu, first - pair.last());
  const double last = std::max(first, pair.last() + rule.nodes.front().log_value);
  return {first, last, [&](double log_y) {
            double sum = 0.0;
            for (const GammaNode& node : rule.nodes) {
              const double log_x = log_y - node.log_value;
              if (log_x > pair.last()) break;
              sum += node.weight * (log_x < kLogSmall ? 1.0 - 2.0 * std::exp(log_x) : pair.at(log_x));
            }
            return sum;
          }};
}

/// The mixture table from `first` or less on. Each thread keeps the last one, made from a coarse grid of starts:
/// neighbouring arguments ask for the same, and it takes most of the time.
const LogTable& kept_mixture_table(double nu, std::size_t d, double first) {
  struct Kept {
    double nu;
    std::size_t d;
    double start;
    LogTable table;
  };
  constexpr double kCoarse = 4.0;
  const double start = kCoarse * std::floor(first / kCoarse);
  static thread_local std::optional<Kept> kept;
  if (!kept || kept->nu != nu || kept->d != d || kept->start != start)
    kept.emplace(Kept{nu, d, start, mixture_table(nu, d, start)});
  return kept->table;
}

/// A node of B ~ Beta(nu, nu) by the trapezoidal rule in log(B / (1 - B)).
struct SplitNode {
  double weight;
  double inverse;        ///< 1/B
  double other_inverse;  ///< 1/(1 - B)
};

/// Nodes with 1/B and 1/(1-B) at most e^{farthest}; what is beyond has its weight but no node.
std::vector<SplitNode> split_nodes(double nu, double farthest) {
  const double step = std::min(0.2, 0.5 * std::sqrt(2.0 / nu));
  const auto density = [nu](double logit) {  // (4 B (1 - B))^nu
    const double sine = std::sinh(logit / 2.0);
    return std::abs(logit) < 600.0 ? std::exp(-nu * std::log1p(sine * sine))
                                   : std::exp(-nu * (std::abs(logit) - std::log(4.0)));
  };
  std::vector<SplitNode> nodes = {{1.0, 2.0, 2.0}};
  double total = 1.0;
  for (double logit = step;; logit += step) {
    const double weight = density(logit);
    if (logit > farthest && logit > 40.0) {  // the density falls as e^{-nu logit} from here on
      total += 2.0 * weight / -std::expm1(-nu * step);
      break;
    }
    if (weight < 1e-20) break;
    total += 2.0 * weight;
    nodes.push_back({weight, 1.0 + std::exp(logit), 1.0 + std::exp(-logit)});
    nodes.push_back({weight, 1.0 + std::exp(-logit), 1.0 + std::exp(logit)});
  }
  for (SplitNode& node : nodes) node.weight /= total;
  return nodes;
}

/// Half the sum over both signs of H(z2 nu/2 (a^2 + b^2 +- 2 c a b)).
double both_signs(const LogTable& table, double log_scale, double a, double b, double c) {
  const auto at = [&](double cosine) {
    const double stretch = (a - b) * (a - b) + 2.0 * (1.0 + cosine) * a * b;
    return table.at(log_scale + std::log(stretch));
  };
  return c == 0.0 ? at(0.0) : (at(c) + at(-c)) / 2.0;
}

double kernel_matern(double log_scale, double nu) {
  const GammaRule rule = gamma_rule(nu, log_scale - std::log(750.0));
  double sum = 0.0;
  for (const GammaNode& node : rule.nodes) sum += node.weight * std::exp(-std::exp(log_scale - node.log_value));
  return sum;
}

}  // namespace

double pair_difference_matern(double nu, double z2, std::size_t d, double c) {
  if (z2 == 0.0) return 0.0;
  const double log_scale = std::log(nu) + std::log(z2) - std::log(2.0);
  // a^2 + b^2 >= 1, so that only c != 0 asks for smaller arguments; 25 below they have probability e^-12.
  const LogTable& table = kept_mixture_table(nu, d, log_scale - (c == 0.0 ? 0.1 : 25.0));
  const double farthest = std::max(table.last() - log_scale, 0.0);
  const std::vector<SplitNode> splits = split_nodes(nu, farthest);
  double mean = 0.0;
  for (const AngleNode& angle : angle_nodes(d, {.rate = static_cast<double>(d), .tilt = 0.0})) {
    const double sine = std::sqrt(angle.versine * (2.0 - angle.versine));  // -cos phi
    for (const SplitNode& split : splits) {
      const double a = std::sqrt((1.0 - sine) / 2.0 * split.inverse);
      const double b = std::sqrt((1.0 + sine) / 2.0 * split.other_inverse);
      mean += angle.weight * split.weight * both_signs(table, log_scale, a, b, c);
    }
  }
  const double kernel = kernel_matern(log_scale, nu);
  return mean - kernel * kernel;
}

}  // namespace bochner::theory
