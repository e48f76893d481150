// SPDX-License-Identifier: Apache-2.0
#include "features/error_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"
#include "features/predict.h"

namespace bochner {
namespace {

using theory::PairGeometry;

constexpr std::size_t kNodes = 16;
constexpr double kTolerance = 5e-13;
constexpr int kDeepest = 5;

std::array<double, kNodes> chebyshev_coefficients(const std::array<double, kNodes>& values) {
  std::array<double, kNodes> coefficients{};
  const double n = static_cast<double>(kNodes);
  for (std::size_t k = 0; k < kNodes; ++k) {
    for (std::size_t i = 0; i < kNodes; ++i)
      coefficients[k] +=
          values[i] * std::cos(std::numbers::pi * static_cast<double>(k) * (static_cast<double>(i) + 0.5) / n);
    coefficients[k] *= (k == 0 ? 1.0 : 2.0) / n;
  }
  return coefficients;
}

/// Clenshaw's recurrence at u in [-1, 1]. It may lose 2 log2(degree) bits of its largest term, so the first two, which
/// are the large ones, stay out of it.
double chebyshev_sum(std::span<const double> coefficients, double u) {
  double next = 0.0, after = 0.0;
  for (std::size_t k = coefficients.size(); k-- > 1;) {
    const double current = 2.0 * u * next - after + (k == 1 ? 0.0 : coefficients[k]);
    after = next;
    next = current;
  }
  return coefficients[0] + (u * coefficients[1] + (u * next - after));
}

}  // namespace

double ErrorTable::log_factor(const PairGeometry& pair) const {
  return 2.0 * chosen_->kernel.norm_exponent() * (pair.nx + pair.ny) + (of_sum_ ? 4.0 * pair.dot : 0.0);
}

double ErrorTable::direct(double t) const {
  std::vector<double> x(chosen_->spec.d, 0.0), y(chosen_->spec.d, 0.0);
  x[0] = std::sqrt(t) / 2.0;
  y[0] = of_sum_ ? x[0] : -x[0];
  return predicted_mse(*chosen_, x, y).value_or(0.0);
}

std::vector<ErrorTable::Panel> ErrorTable::tabulate(double first, double last, int depth, double outer) const {
  std::array<double, kNodes> values{};
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double u = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(kNodes));
    const double t = std::exp((first + last) / 2.0 + u * (last - first) / 2.0);
    const PairGeometry same = theory::pair_geometry(t / 4.0, t / 4.0, of_sum_ ? t / 4.0 : -t / 4.0);
    values[i] = std::log(direct(t)) - log_factor(same);
    if (!std::isfinite(values[i])) return {};
  }
  const std::array<double, kNodes> coefficients = chebyshev_coefficients(values);
  const double tail = std::max(
      {std::abs(coefficients[kNodes - 1]), std::abs(coefficients[kNodes - 2]), std::abs(coefficients[kNodes - 3])});
  // Halving divides the tail of a smooth function by 2^13; where it hardly falls, it is rounding of the closed form.
  if (tail <= kTolerance || depth == kDeepest || tail > outer / 16)
    return {{first, last, {coefficients.begin(), coefficients.end()}}};
  const double middle = (first + last) / 2.0;
  std::vector<Panel> panels = tabulate(first, middle, depth + 1, tail);
  const std::vector<Panel> upper = tabulate(middle, last, depth + 1, tail);
  if (panels.empty() || upper.empty()) return {};
  panels.insert(panels.end(), upper.begin(), upper.end());
  return panels;
}

std::optional<ErrorTable> ErrorTable::build(const Resolved& chosen, std::span<const PairGeometry> pairs) {
  const Map& map = chosen.map;
  const Argument argument = map.argument == nullptr ? Argument::pair : map.argument(chosen.spec.parameters);
  const bool isotropic = law_of(chosen.kernel, map, chosen.spec.parameters).isotropic;
  if (argument == Argument::pair || !isotropic) return std::nullopt;
  ErrorTable table(chosen, argument == Argument::sum);
  for (const PairGeometry& pair : pairs)
    if (const double t = table.argument(pair); t > 0.0) table.octaves_.try_emplace(std::ilogb(t));
  std::vector<std::pair<const int, std::vector<Panel>>*> octaves;
  for (auto& octave : table.octaves_) octaves.push_back(&octave);
  parallel_for(octaves.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double start = octaves[i]->first * std::numbers::ln2;
      octaves[i]->second = table.tabulate(start, start + std::numbers::ln2, 0, std::numeric_limits<double>::infinity());
    }
  });
  return table;
}

double ErrorTable::mse(const PairGeometry& pair) const {
  const double t = argument(pair);
  const auto octave = t > 0.0 ? octaves_.find(std::ilogb(t)) : octaves_.end();
  if (octave == octaves_.end() || octave->second.empty()) {
    const PairGeometry same = theory::pair_geometry(t / 4.0, t / 4.0, of_sum_ ? t / 4.0 : -t / 4.0);
    const double error = direct(t);
    return error == 0.0 ? 0.0 : std::exp(std::log(error) + log_factor(pair) - log_factor(same));
  }
  const double log_t = std::log(t);
  const std::vector<Panel>& panels = octave->second;
  const auto after = std::ranges::upper_bound(panels, log_t, {}, &Panel::last);
  const Panel& panel = after == panels.end() ? panels.back() : *after;
  const double u = (2.0 * log_t - panel.first - panel.last) / (panel.last - panel.first);
  return std::exp(chebyshev_sum(panel.coefficients, std::clamp(u, -1.0, 1.0)) + log_factor(pair));
}

}  // namespace bochner
