// SPDX-License-Identifier: Apache-2.0
#include "demo/data.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace bochner::cli {

std::uint64_t Generator::bits() {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

double Generator::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Generator::normal() {
  const double radius = std::sqrt(-2 * std::log1p(-uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

Matrix<double> s_curve(std::size_t n, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<double> t(n);
  for (double& value : t) value = 3 * std::numbers::pi * (generator.uniform() - 0.5);
  std::sort(t.begin(), t.end());
  Matrix<double> X(n, 3);
  for (std::size_t i = 0; i < n; ++i) {
    X(i, 0) = std::sin(t[i]);
    X(i, 1) = 2 * generator.uniform() - 1;
    X(i, 2) = std::copysign(1.0, t[i]) * (std::cos(t[i]) - 1);
  }
  return X;
}

double regression_truth(double x) { return std::sin(3.5 * x) * std::exp(-x * x / 12) + 0.8 * std::cos(0.7 * x); }

Regression regression(std::size_t n, std::uint64_t seed) {
  Generator generator(seed);
  Regression data{Matrix<double>(n, 1), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i) {
    data.X(i, 0) = 10 * generator.uniform() - 5;
    data.y[i] = regression_truth(data.X(i, 0)) + kNoise * generator.normal();
  }
  return data;
}

}  // namespace bochner::cli
