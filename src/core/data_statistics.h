// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"

namespace bochner {

/// What optimal parameters need to know about the rows of a data set (Chefs' Random Tables, Eq. 8, 12 and 14), gathered
/// in one pass over blocks of rows: the means of x, x^2 and |x| and the minimum of each coordinate. The statistics of
/// two parts of a data set can be merged. Sums are compensated (Neumaier): relative error 1e-15 for any number of rows.
class DataStatistics {
 public:
  explicit DataStatistics(std::size_t d);

  void add(MatrixView<const double> X);
  void merge(const DataStatistics& other);
  /// Lowers the minima to those of a larger data set, of which these rows are a sample.
  void lower_minima(std::span<const double> minima);

  std::size_t rows() const { return rows_; }
  std::size_t d() const { return coordinates_.size(); }
  double mean(std::size_t l) const;
  double mean_square(std::size_t l) const;
  double mean_absolute(std::size_t l) const;
  double minimum(std::size_t l) const { return coordinates_[l].minimum; }

 private:
  struct Sum {
    double total = 0;
    double lost = 0;
    void add(double value);
    void add(const Sum& other);
    double value() const { return total + lost; }
  };
  struct Coordinate {
    Sum first, square, absolute;
    double minimum;
  };

  std::size_t rows_ = 0;
  std::vector<Coordinate> coordinates_;
};

/// mean |x + s y|^2 over all pairs of a query x and a key y, s = +-1:
/// mean |x|^2 + mean |y|^2 + 2 s mean(x).mean(y).
double mean_squared_sum(const DataStatistics& queries, const DataStatistics& keys, double s = 1);

// Means over all pairs of a query x and a key y, after subtracting c = `shift` from both (empty: 0).

/// mean of sum_l (x_l - c_l)^2 (y_l - c_l)^2 = sum_l mean (x_l - c_l)^2 mean (y_l - c_l)^2.
double mean_squared_products(const DataStatistics& queries, const DataStatistics& keys,
                             std::span<const double> shift = {});
/// mean |x_l - c_l| |y_l - c_l| of every coordinate l; no entry may be below its shift.
std::vector<double> mean_absolute_products(const DataStatistics& queries, const DataStatistics& keys,
                                           std::span<const double> shift = {});

}  // namespace bochner
