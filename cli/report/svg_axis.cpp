// SPDX-License-Identifier: Apache-2.0
#include "report/svg_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace bochner::cli::svg {
namespace {

double position(double value, bool log) { return log ? std::log10(value) : value; }

std::string plain_label(double value) {
  std::string text = fmt::format("{:.6g}", value);
  if (text.starts_with('-')) text.replace(0, 1, "&#8722;");
  return text;
}

std::string decade_label(int exponent) {
  if (exponent >= -3 && exponent <= 4) return plain_label(std::pow(10.0, exponent));
  return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}{}</tspan>", exponent < 0 ? "&#8722;" : "",
                     std::abs(exponent));
}

std::vector<Tick> log_ticks(std::pair<double, double> range) {
  const bool wide = range.second / range.first >= 100;
  std::vector<Tick> ticks;
  const int first = static_cast<int>(std::floor(std::log10(range.first)));
  const int last = static_cast<int>(std::floor(std::log10(range.second)));
  const int decades = last - first, step = decades > 16 ? 4 : decades > 8 ? 2 : 1;
  for (int k = first; k <= last; ++k)
    for (int digit = 1; digit <= (step > 1 ? 1 : 9); ++digit) {
      const double value = digit * std::pow(10.0, k);
      if (value < range.first || value > range.second) continue;
      std::string label;
      if (digit == 1 && k % step == 0) label = decade_label(k);
      if (!wide && (digit == 2 || digit == 5)) label = plain_label(value);
      ticks.push_back({value, label});
    }
  return ticks;
}

std::vector<Tick> linear_ticks(std::pair<double, double> range) {
  const double raw = (range.second - range.first) / 5;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  std::vector<Tick> ticks;
  const auto last = static_cast<long>(std::floor(range.second / step));
  for (auto k = static_cast<long>(std::ceil(range.first / step)); k <= last; ++k)
    ticks.push_back({static_cast<double>(k) * step, plain_label(static_cast<double>(k) * step)});
  return ticks;
}

}  // namespace

Scale::Scale(std::pair<double, double> range, bool log, double from, double to)
    : low_(position(range.first, log)), high_(position(range.second, log)), log_(log), from_(from), to_(to) {}

double Scale::operator()(double value) const {
  if (log_ && !(value > 0)) return from_;
  const double share = (position(value, log_) - low_) / (high_ - low_);
  return from_ + std::clamp(share, 0.0, 1.0) * (to_ - from_);
}

std::pair<double, double> range_of(const Axis& axis, const std::vector<double>& values) {
  if (axis.range) return *axis.range;
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (!std::isfinite(value) || (axis.log && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (!(low <= high)) return axis.log ? std::pair{1.0, 10.0} : std::pair{0.0, 1.0};
  if (axis.log) {
    const double margin = std::pow(std::max(high / low, 1.5), 0.05);
    return {low / margin, high * margin};
  }
  const double margin = high > low ? 0.04 * (high - low) : 0.5;
  return {low - margin, high + margin};
}

std::vector<Tick> ticks_of(const Axis& axis, std::pair<double, double> range) {
  if (axis.ticks.empty()) return axis.log ? log_ticks(range) : linear_ticks(range);
  std::vector<Tick> ticks;
  for (const double value : axis.ticks)
    if (value >= range.first && value <= range.second) ticks.push_back({value, plain_label(value)});
  return ticks;
}

}  // namespace bochner::cli::svg
