// SPDX-License-Identifier: Apache-2.0
#include "couplings/simplex_directions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace bochner {

void apply_simplex(MatrixView<double> Q) {
  const std::size_t r = Q.rows();
  const double n = static_cast<double>(r);
  std::vector<double> s(Q.cols(), 0.0);
  for (std::size_t i = 0; i + 1 < r; ++i)
    for (std::size_t l = 0; l < s.size(); ++l) s[l] += Q(i, l);
  for (double& entry : s) entry /= std::sqrt(n - 1);
  const double stretch = std::sqrt(n / (n - 1));
  const double pull = (std::sqrt(n) + 1) / (n - 1);
  for (std::size_t i = 0; i + 1 < r; ++i)
    for (std::size_t l = 0; l < s.size(); ++l) Q(i, l) = stretch * Q(i, l) - pull * s[l];
  for (std::size_t l = 0; l < s.size(); ++l) Q(r - 1, l) = s[l];
}

namespace {

constexpr int kMostSweeps = 100;
// The sweeps end when no row moves by more than kTolerance, or kRounding times their number, relative to its norm.
constexpr double kTolerance = 1e-13, kRounding = 0x1p-52;

Matrix<double> scaled_simplex(std::span<const double> norms) {
  Matrix<double> V(norms.size(), norms.size(), 0.0);
  for (std::size_t i = 0; i < norms.size(); ++i) V(i, i) = 1.0;
  if (norms.size() >= 2) apply_simplex(V.view());
  for (std::size_t i = 0; i < norms.size(); ++i)
    for (double& entry : V.view().row(i)) entry *= norms[i];
  return V;
}

std::vector<double> sum_of_rows(const Matrix<double>& V) {
  std::vector<double> sum(V.cols(), 0.0);
  for (std::size_t i = 0; i < V.rows(); ++i)
    for (std::size_t l = 0; l < V.cols(); ++l) sum[l] += V(i, l);
  return sum;
}

/// Turns row v against the sum of the others and updates `sum`; returns the squared distance by which v moved.
double turn(std::span<double> v, double norm, std::vector<double>& sum) {
  double length2 = 0;
  for (std::size_t l = 0; l < v.size(); ++l) {
    const double other = sum[l] - v[l];
    length2 += other * other;
  }
  if (length2 == 0) return 0;
  const double factor = -norm / std::sqrt(length2);
  double moved2 = 0;
  for (std::size_t l = 0; l < v.size(); ++l) {
    const double other = sum[l] - v[l];
    const double turned = factor * other;
    moved2 += (turned - v[l]) * (turned - v[l]);
    v[l] = turned;
    sum[l] = other + turned;
  }
  return moved2;
}

}  // namespace

Matrix<double> relaxed_simplex(std::span<const double> norms) {
  Matrix<double> V = scaled_simplex(norms);
  for (int sweep = 0; sweep < kMostSweeps && norms.size() >= 3; ++sweep) {
    std::vector<double> sum = sum_of_rows(V);
    double largest = 0;
    for (std::size_t i = 0; i < norms.size(); ++i) {
      if (norms[i] == 0) continue;
      const double moved = std::sqrt(turn(V.view().row(i), norms[i], sum)) / norms[i];
      largest = moved > largest ? moved : largest;
    }
    if (largest < std::max(kTolerance, kRounding * static_cast<double>(norms.size()))) break;
  }
  return V;
}

}  // namespace bochner
