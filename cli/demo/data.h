// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bochner/matrix.h"

/// The data of `bochner demo`, made by formula so that the program needs no file.
namespace bochner::cli {

/// SplitMix64 (Steele, Lea & Flood, 2014): the same numbers on every machine, which std:: distributions do not promise.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  double uniform();  ///< [0, 1)
  double normal();
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(uniform() * static_cast<double>(bound)); }

 private:
  std::uint64_t state_;
};

/// n points of the S-curve in R^3, (sin t, 2 u, sgn(t) (cos t - 1)) with t uniform on 3 pi (-1/2, 1/2) and u on (-1/2,
/// 1/2), in the order of t: neighbours along the curve are neighbours in the Gram matrix.
Matrix<double> s_curve(std::size_t n, std::uint64_t seed);

struct Regression {
  Matrix<double> X;       ///< n x 1, uniform on (-5, 5)
  std::vector<double> y;  ///< truth + N(0, noise^2)
};
inline constexpr double kNoise = 0.3;

/// The function that the regression has to find.
double regression_truth(double x);
Regression regression(std::size_t n, std::uint64_t seed);

}  // namespace bochner::cli
