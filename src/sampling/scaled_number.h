// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace bochner {

/// number 2^exponent, for numbers beyond the range of double. Exponents are whole; numbers with equal exponents are
/// added, compared and divided like plain numbers, bit by bit.
struct ScaledNumber {
  double number = 0, exponent = 0;
};

/// 2^exponent for a whole exponent <= 0; 0 for -infinity and where it underflows.
inline double power_of_two(double exponent) { return std::ldexp(1.0, static_cast<int>(std::max(exponent, -2000.0))); }

/// exp(x) with an exponent that is a multiple of 256, 0 for |x| < 88, so that number is between e^-89 and e^89.
inline ScaledNumber scaled_exp(double x) {
  constexpr double kStep = 256, kLogStep = kStep * std::numbers::ln2, kMost = 1e300;
  if (x == -std::numeric_limits<double>::infinity()) return {};
  const double steps = std::round(std::clamp(x, -kMost, kMost) / kLogStep);
  return {std::exp(std::clamp(x - steps * kLogStep, -89.0, 89.0)), steps * kStep};
}

inline ScaledNumber operator+(const ScaledNumber& a, const ScaledNumber& b) {
  if (a.exponent == b.exponent) return {a.number + b.number, a.exponent};
  if (a.number == 0 || b.number == 0) return a.number == 0 ? b : a;
  const ScaledNumber &more = a.exponent > b.exponent ? a : b, &less = a.exponent > b.exponent ? b : a;
  return {more.number + less.number * power_of_two(less.exponent - more.exponent), more.exponent};
}

inline bool operator<(const ScaledNumber& a, const ScaledNumber& b) {
  if (a.exponent == b.exponent || a.number == 0 || b.number == 0) return a.number < b.number;
  if (a.exponent < b.exponent) return a.number * power_of_two(a.exponent - b.exponent) < b.number;
  return a.number < b.number * power_of_two(b.exponent - a.exponent);
}

/// log(a / b) for numbers > 0.
inline double log_ratio(const ScaledNumber& a, const ScaledNumber& b) {
  if (a.exponent == b.exponent) return std::log(a.number / b.number);
  return std::log(a.number) - std::log(b.number) + (a.exponent - b.exponent) * std::numbers::ln2;
}

/// a / b for numbers >= 0, b > 0 and not far below a.
inline double ratio(const ScaledNumber& a, const ScaledNumber& b) {
  return a.exponent == b.exponent ? a.number / b.number : std::exp(log_ratio(a, b));
}

}  // namespace bochner
