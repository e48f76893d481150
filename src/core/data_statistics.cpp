// SPDX-License-Identifier: Apache-2.0
#include "core/data_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bochner {

void DataStatistics::Sum::add(double value) {
  const double next = total + value;
  lost += std::abs(total) >= std::abs(value) ? (total - next) + value : (value - next) + total;
  total = next;
}

void DataStatistics::Sum::add(const Sum& other) {
  add(other.total);
  lost += other.lost;
}

DataStatistics::DataStatistics(std::size_t d)
    : coordinates_(d, Coordinate{{}, {}, {}, std::numeric_limits<double>::infinity()}) {}

void DataStatistics::add(MatrixView<const double> X) {
  rows_ += X.rows();
  for (std::size_t i = 0; i < X.rows(); ++i)
    for (std::size_t l = 0; l < X.cols(); ++l) {
      Coordinate& coordinate = coordinates_[l];
      const double x = X(i, l);
      coordinate.first.add(x);
      coordinate.square.add(x * x);
      coordinate.absolute.add(std::abs(x));
      coordinate.minimum = std::min(coordinate.minimum, x);
    }
}

void DataStatistics::merge(const DataStatistics& other) {
  rows_ += other.rows_;
  for (std::size_t l = 0; l < d(); ++l) {
    coordinates_[l].first.add(other.coordinates_[l].first);
    coordinates_[l].square.add(other.coordinates_[l].square);
    coordinates_[l].absolute.add(other.coordinates_[l].absolute);
    coordinates_[l].minimum = std::min(coordinates_[l].minimum, other.coordinates_[l].minimum);
  }
}

void DataStatistics::lower_minima(std::span<const double> minima) {
  for (std::size_t l = 0; l < d(); ++l) coordinates_[l].minimum = std::min(coordinates_[l].minimum, minima[l]);
}

double DataStatistics::mean(std::size_t l) const { return coordinates_[l].first.value() / static_cast<double>(rows_); }

double DataStatistics::mean_square(std::size_t l) const {
  return coordinates_[l].square.value() / static_cast<double>(rows_);
}

double DataStatistics::mean_absolute(std::size_t l) const {
  return coordinates_[l].absolute.value() / static_cast<double>(rows_);
}

namespace {

/// mean (x_l - c)^2 as variance + (mean - c)^2, which does not cancel for a c far away.
double shifted_square(const DataStatistics& data, std::size_t l, double c) {
  const double mean = data.mean(l);
  return std::max(0.0, data.mean_square(l) - mean * mean) + (mean - c) * (mean - c);
}

}  // namespace

double mean_squared_products(const DataStatistics& queries, const DataStatistics& keys, std::span<const double> shift) {
  double sum = 0;
  for (std::size_t l = 0; l < queries.d(); ++l)
    sum += shift.empty() ? queries.mean_square(l) * keys.mean_square(l)
                         : shifted_square(queries, l, shift[l]) * shifted_square(keys, l, shift[l]);
  return sum;
}

std::vector<double> mean_absolute_products(const DataStatistics& queries, const DataStatistics& keys,
                                           std::span<const double> shift) {
  std::vector<double> products(queries.d());
  for (std::size_t l = 0; l < products.size(); ++l)
    products[l] = shift.empty() ? queries.mean_absolute(l) * keys.mean_absolute(l)
                                : std::abs(queries.mean(l) - shift[l]) * std::abs(keys.mean(l) - shift[l]);
  return products;
}

double mean_squared_sum(const DataStatistics& queries, const DataStatistics& keys, double s) {
  double sum = 0;
  for (std::size_t l = 0; l < queries.d(); ++l)
    sum += queries.mean_square(l) + keys.mean_square(l) + 2 * s * queries.mean(l) * keys.mean(l);
  return std::max(0.0, sum);
}

}  // namespace bochner
