// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "bochner/matrix.h"
#include "bochner/spec.h"
#include "core/stream.h"
#include "reference/kernels.h"

namespace bochner::conformance {

using Vector = std::vector<double>;

inline Vector axis(std::size_t d) {
  Vector u(d, 0.0);
  u[0] = 1;
  return u;
}

inline Vector diagonal(std::size_t d) { return Vector(d, 1 / std::sqrt(static_cast<double>(d))); }

/// A unit vector in no special direction.
inline Vector generic(std::size_t d, std::uint64_t which) {
  Vector u(d);
  double norm2 = 0;
  Stream(0x9e3779b97f4a7c15u, Purpose::iid_entries).fill_normal(which, 0, u);
  for (const double entry : u) norm2 += entry * entry;
  for (double& entry : u) entry /= std::sqrt(norm2);
  return u;
}

/// Points (x_i, y_i) at which phi(x).phi(y) is compared with k(x, y).
struct Pairs {
  Matrix<double> X;
  Matrix<double> Y;
  std::vector<std::string> names;

  std::size_t size() const { return names.size(); }
};

/// A pair by its sum and difference in units of the lengthscale: x = (s + t)/2, y = (s - t)/2.
struct SumAndDifference {
  std::string name;
  double sum;
  Vector sum_direction;
  double difference;
  Vector difference_direction;
};

inline Pairs make_pairs(const Spec& spec, const std::vector<SumAndDifference>& wanted) {
  Pairs pairs{Matrix<double>(wanted.size(), spec.d), Matrix<double>(wanted.size(), spec.d), {}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t l = 0; l < spec.d; ++l) {
      const double sigma = reference::lengthscale_at(spec.lengthscale, l);
      const double s = wanted[i].sum * wanted[i].sum_direction[l];
      const double t = wanted[i].difference * wanted[i].difference_direction[l];
      pairs.X(i, l) = sigma * (s + t) / 2;
      pairs.Y(i, l) = sigma * (s - t) / 2;
    }
    pairs.names.push_back(wanted[i].name);
  }
  return pairs;
}

/// |x + y| = `sum` keeps the exponential maps' tails light; |x - y| of 1 to 2 is where bandwidths and couplings show.
inline Pairs mild_pairs(const Spec& spec, double sum) {
  const Vector e1 = axis(spec.d), ones = diagonal(spec.d), a = generic(spec.d, 1), b = generic(spec.d, 2);
  return make_pairs(spec, {{"generic", sum, a, 1.5, b},
                           {"x = y", sum, b, 0, b},
                           {"along e1", sum, e1, 1.0, e1},
                           {"x = y along e1", sum, e1, 0, e1},
                           {"along (1,..,1)", sum, ones, 2.0, ones},
                           {"x = y along (1,..,1)", sum, ones, 0, ones}});
}

/// |x| = 1, x = y: where a Q that is not Haar shows as bias of positive maps (-33 % at d = 4 along (1,..,1)).
inline Pairs unit_diagonal_pairs(const Spec& spec) {
  const Vector e1 = axis(spec.d), ones = diagonal(spec.d);
  return make_pairs(
      spec,
      {{"x = y = e1", 2, e1, 0, e1}, {"x = y = -e1", -2, e1, 0, e1}, {"x = y = (1,..,1)/sqrt(d)", 2, ones, 0, ones}});
}

}  // namespace bochner::conformance
