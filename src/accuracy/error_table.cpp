// SPDX-License-Identifier: Apache-2.0
#include "accuracy/error_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/parallel.h"

namespace bochner {
namespace {

using theory::PairGeometry;

constexpr std::size_t kNodes = 16;
constexpr double kTolerance = 5e-13;
/// Closed forms have a relative error of about this times max(10, d, t).
constexpr double kRounding = 2e-15;
/// The number of pairs in an octave above which it no longer matters how many there are.
constexpr unsigned kPlenty = 1U << 14;

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

/// Clenshaw's recurrence at u in [-1, 1]. It may lose 2 log2(degree) bits of its largest term, so the first two terms,
/// which are the large ones, are added outside it.
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

bool ErrorTable::serves(const PreparedError& error) {
  return error.argument() == Argument::sum || error.argument() == Argument::difference;
}

ErrorTable::ErrorTable(const PreparedError& error) : error_(&error), of_sum_(error.argument() == Argument::sum) {}

/// The known exponential of a sum, e^{4 x.y}, is divided out inside the closed form, so that nothing overflows.
double ErrorTable::log_value(double t) const {
  const PairGeometry pair = theory::pair_geometry(t / 4.0, t / 4.0, of_sum_ ? t / 4.0 : -t / 4.0);
  return std::log(error_->at(pair, of_sum_ ? -4.0 * pair.dot : 0.0).value_or(0.0));
}

std::vector<ErrorTable::Panel> ErrorTable::tabulate(double first, double last, const Outer& outer,
                                                    std::size_t& evaluations) const {
  if (evaluations < kNodes) return {};
  evaluations -= kNodes;
  std::array<double, kNodes> values{};
  for (std::size_t i = 0; i < kNodes; ++i) {
    const double u = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.5) / static_cast<double>(kNodes));
    const double t = std::exp((first + last) / 2.0 + u * (last - first) / 2.0);
    values[i] = log_value(t);
    if (!std::isfinite(values[i])) return {};
  }
  const std::array<double, kNodes> coefficients = chebyshev_coefficients(values);
  const double tail = std::max(
      {std::abs(coefficients[kNodes - 1]), std::abs(coefficients[kNodes - 2]), std::abs(coefficients[kNodes - 3])});
  // Halving a panel divides the tail of a smooth function by 2^13, and the tail of an oscillation once the panel has
  // fewer than 10 radians of it. If the tail hardly falls four times in a row (160 radians) and is small, it is the
  // rounding error of the closed form.
  const int stalled = tail > outer.tail / 16 ? outer.stalled + 1 : 0;
  const double size = std::max(static_cast<double>(space_of(error_->chosen().spec)), std::exp(last));
  if (tail <= kTolerance || (stalled >= 4 && tail <= kRounding * std::max(1e3, size)))
    return {{first, last, {coefficients.begin(), coefficients.end()}}};
  const double middle = (first + last) / 2.0;
  std::vector<Panel> panels = tabulate(first, middle, {tail, stalled}, evaluations);
  if (panels.empty()) return {};
  const std::vector<Panel> upper = tabulate(middle, last, {tail, stalled}, evaluations);
  if (upper.empty()) return {};
  panels.insert(panels.end(), upper.begin(), upper.end());
  return panels;
}

void ErrorTable::want(const PairGeometry& pair) {
  const double t = argument(pair);
  if (!(t > 0.0) || !std::isfinite(t)) return;
  std::atomic<unsigned>& wanted = wanted_[static_cast<std::size_t>(std::ilogb(t) - kLowest)];
  if (wanted.load(std::memory_order_relaxed) < kPlenty) wanted.fetch_add(1, std::memory_order_relaxed);
}

void ErrorTable::build() {
  std::vector<std::size_t> octaves;
  for (std::size_t i = 0; i < wanted_.size(); ++i)
    if (wanted_[i] > 0) octaves.push_back(i);
  parallel_for(octaves.size(), 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double start = (static_cast<double>(octaves[i]) + kLowest) * std::numbers::ln2;
      std::size_t evaluations = std::min(wanted_[octaves[i]].load(), kPlenty);
      octaves_[octaves[i]] =
          tabulate(start, start + std::numbers::ln2, {std::numeric_limits<double>::infinity(), 0}, evaluations);
    }
  });
}

double ErrorTable::at(const PairGeometry& pair, double log_factor) const {
  const double t = argument(pair);
  const bool in_range = t > 0.0 && std::isfinite(t);
  static const std::vector<Panel> none;
  const std::vector<Panel>& panels = in_range ? octaves_[static_cast<std::size_t>(std::ilogb(t) - kLowest)] : none;
  if (panels.empty()) return error_->at(pair, log_factor).value_or(std::numeric_limits<double>::quiet_NaN());
  const double log_t = std::log(t);
  const auto after = std::ranges::upper_bound(panels, log_t, {}, &Panel::last);
  const Panel& panel = after == panels.end() ? panels.back() : *after;
  const double u = (2.0 * log_t - panel.first - panel.last) / (panel.last - panel.first);
  return std::exp(chebyshev_sum(panel.coefficients, std::clamp(u, -1.0, 1.0)) + log_factor +
                  (of_sum_ ? 4.0 * pair.dot : 0.0));
}

}  // namespace bochner
