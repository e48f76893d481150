// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "bochner/matrix.h"
#include "properties/dice.h"

namespace bochner::properties {

/// Magnitudes of entries.
inline constexpr double kLeastPower = -42, kLargestPower = 30;

/// The magnitude of the entry (i, l), by one of several laws.
struct Magnitudes {
  Magnitudes(Dice& dice, std::size_t n, std::size_t d) : rows(n, 1.0), columns(d, 1.0) {
    switch (dice.below(5)) {
      case 0:  // what tables look like
      case 1:
        common = dice.power(-1, 1.5);
        break;
      case 2:
        common = dice.power(kLeastPower, kLargestPower);
        break;
      case 3:
        for (double& column : columns) column = dice.power(kLeastPower, kLargestPower);
        break;
      default:  // some rows far from the others
        common = dice.power(-1, 1);
        for (double& row : rows) row = dice.chance(0.2) ? dice.power(0, kLargestPower - 1) : 1.0;
    }
  }
  double at(std::size_t i, std::size_t l) const { return common * rows[i] * columns[l]; }

  double common = 1;
  std::vector<double> rows, columns;
};

/// Rows with constant and zero columns, equal rows, rows of zeros, one sign or both.
inline Matrix<double> hard_rows(Dice& dice, std::size_t n, std::size_t d) {
  const Magnitudes magnitudes(dice, n, d);
  const bool positive = dice.chance(0.3), equal = dice.chance(0.1);
  const double constant = dice.chance(0.3) ? 0.4 : 0.0, zero = dice.chance(0.3) ? 0.4 : 0.0;
  Matrix<double> X(n, d);
  for (std::size_t l = 0; l < d; ++l) {
    const bool is_constant = dice.chance(constant), is_zero = dice.chance(zero);
    for (std::size_t i = 0; i < n; ++i) {
      const double value = (is_constant || equal) && i > 0 ? X(0, l) : magnitudes.at(i, l) * dice.normal();
      X(i, l) = is_zero ? 0.0 : positive ? std::abs(value) : value;
    }
  }
  if (dice.chance(0.1)) {
    const std::size_t i = dice.below(n);
    for (std::size_t l = 0; l < d; ++l) X(i, l) = -0.0;
  }
  return X;
}

template <class T>
Matrix<T> as(const Matrix<double>& X) {
  Matrix<T> converted(X.rows(), X.cols());
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) converted(i, l) = static_cast<T>(X(i, l));
  return converted;
}

/// Lengthscales that are near the size of the rows, where features are neither all alike nor all different, or
/// anywhere.
inline std::vector<double> some_lengthscale(Dice& dice, const Matrix<double>& X) {
  std::vector<double> sizes;
  for (std::size_t l = 0; l < X.cols(); ++l) {
    double largest = 0;
    for (std::size_t i = 0; i < X.rows(); ++i) largest = std::max(largest, std::abs(X(i, l)));
    sizes.push_back(largest > 0 ? largest : 1.0);
  }
  const bool fits = dice.chance(0.7);
  const double factor = fits ? dice.power(-2, 2) * std::sqrt(static_cast<double>(X.cols())) : 1.0;
  const auto anywhere = [&] { return dice.chance(0.3) ? dice.power(-300, 300) : dice.power(-10, 10); };
  if (!dice.chance(0.3)) return {fits ? factor * *std::ranges::max_element(sizes) : anywhere()};
  std::vector<double> lengthscale;
  for (const double size : sizes) lengthscale.push_back(fits ? factor * size : anywhere());
  return lengthscale;
}

}  // namespace bochner::properties
