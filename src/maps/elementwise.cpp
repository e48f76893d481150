// SPDX-License-Identifier: Apache-2.0
#include "maps/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "simd/arrays.h"
#include "simd/project.h"

namespace bochner {

template <class T>
void check_sizes(std::span<const T> largest, const Rows<T>& rows) {
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (std::isfinite(largest[i])) continue;
    constexpr bool kFloat = std::is_same_v<T, float>;
    throw std::invalid_argument(fmt::format(
        "X has a row too long for this map: |x / lengthscale| is {:.4g} at row {}, where features overflow {}; use a "
        "larger lengthscale, {}another map, or the log scale of a positive map",
        std::sqrt(rows.norms[i]), rows.first + i, kFloat ? "float32" : "float64", kFloat ? "float64, " : ""));
  }
}

template <class T>
void exponentials_of_rows(MatrixView<T> Z, double log_of_scale, std::span<T> log_scale) {
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const std::span<T> z = Z.row(i);
    const T largest = simd::largest<T>(z);
    if (largest == -std::numeric_limits<T>::infinity()) {
      std::fill(z.begin(), z.end(), T(0));
      log_scale[i] = T(0);
      continue;
    }
    // The difference is exact where it is 0, so the largest feature is exactly 1.
    simd::affine<T>(T(1), z, -largest, z);
    const MatrixView<T> row(z.data(), 1, z.size());
    simd::finish_rows<T>(row, {.shape = simd::Shape::exp}, row);
    log_scale[i] = largest + static_cast<T>(log_of_scale);
  }
}

namespace {

std::vector<float> floats(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

/// Null if there are none.
template <class T>
const T* numbers_in(const std::vector<double>& doubles, const std::vector<float>& floats) {
  if (doubles.empty()) return nullptr;
  if constexpr (std::is_same_v<T, float>)
    return floats.data();
  else
    return doubles.data();
}

}  // namespace

ElementwiseMap::ElementwiseMap(const Parameters& parameters)
    : parameters_(parameters),
      float_offset_(floats(parameters.column_offset)),
      float_scale_(floats(parameters.column_scale)),
      float_phase_(floats(parameters.column_phase)) {
  if (!parameters.column_scale.empty()) most_scale_ = std::ranges::max(parameters.column_scale);
  if (!parameters.column_offset.empty()) most_offset_ = std::ranges::max(parameters.column_offset);
}

/// The terms of the rows are kept per thread until the next block.
template <class T>
simd::Finish<T> ElementwiseMap::finish(const Rows<T>& rows) const {
  static thread_local std::vector<T> terms;
  simd::Finish<T> finish{.shape = parameters_.shape,
                         .scale = static_cast<T>(parameters_.scale),
                         .slope = static_cast<T>(parameters_.slope),
                         .column_offset = numbers_in<T>(parameters_.column_offset, float_offset_),
                         .column_scale = numbers_in<T>(parameters_.column_scale, float_scale_),
                         .phase_slope = static_cast<T>(parameters_.phase_slope),
                         .column_phase = numbers_in<T>(parameters_.column_phase, float_phase_)};
  terms.resize(rows.norms.size());
  if (parameters_.factor_exponent != 0) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = static_cast<T>(std::exp(parameters_.factor_exponent * static_cast<double>(rows.norms[i])));
    finish.row_scale = terms.data();
  } else if (parameters_.offset_exponent != 0) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      terms[i] = static_cast<T>(parameters_.offset_exponent * static_cast<double>(rows.norms[i]));
    finish.row_offset = terms.data();
  }
  return finish;
}

/// Computes all exponents first, then exp(exponent - their maximum), while the block is in cache; the log of the scale
/// is added to the maximum.
template <class T>
void ElementwiseMap::transform_scaled_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z,
                                         std::span<T> log_scale) const {
  simd::Finish<T> exponents = finish<T>(rows);
  exponents.shape = exponents.shape == simd::Shape::exp ? simd::Shape::exponent : simd::Shape::exponent_pair;
  projection.apply(rows.X, exponents, Z, false);
  exponentials_of_rows<T>(Z, std::log(parameters_.scale), log_scale);
}

/// Norms are computed in double: their rounding to T would change the logarithm of the whole row.
template <class T>
void ElementwiseMap::transform_log_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z,
                                      std::span<double> log_factor) const {
  simd::Finish<T> exponents = finish<T>(rows);
  exponents.shape = exponents.shape == simd::Shape::exp ? simd::Shape::exponent : simd::Shape::exponent_pair;
  exponents.row_offset = nullptr;
  projection.apply(rows.X, exponents, Z, false);
  const double log_of_scale = std::log(parameters_.scale);
  for (std::size_t i = 0; i < log_factor.size(); ++i)
    log_factor[i] = log_of_scale + parameters_.offset_exponent * simd::squared_norm<T>(rows.X.row(i));
}

/// Whether the exponent of a row may leave the range of T, judged by |w.x| <= |w| |x|.
template <class T>
bool ElementwiseMap::may_overflow(const Rows<T>& rows) const {
  constexpr double kMost = std::is_same_v<T, float> ? 85 : 700, kRounding = 1e-6;
  const double slope = std::abs(parameters_.slope) * parameters_.longest_direction;
  return !std::ranges::all_of(rows.norms, [&](T norm) {
    const double norm2 = static_cast<double>(norm), projection = slope * std::sqrt(norm2);
    const double offset = parameters_.offset_exponent * norm2 + most_offset_;
    return projection + offset + kRounding * (projection + std::abs(offset)) <= kMost;
  });
}

/// Phases are as large as their factors, which are known beforehand. Exponentials are checked while they are computed,
/// if their rows are long enough to overflow.
template <class T>
void ElementwiseMap::transform_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z) const {
  static thread_local std::vector<T> largest;
  simd::Finish<T> features = finish<T>(rows);
  const bool unbounded = simd::is_unbounded(parameters_.shape), factors = features.row_scale != nullptr;
  if (unbounded ? !may_overflow<T>(rows) : !factors && parameters_.column_scale.empty())
    return projection.apply(rows.X, features, Z, rows.streaming);
  largest.assign(rows.norms.size(), static_cast<T>(parameters_.scale));
  if (unbounded) {
    features.row_top = largest.data();
    projection.apply(rows.X, features, Z, rows.streaming);
    return check_sizes<T>(largest, rows);
  }
  for (std::size_t i = 0; i < largest.size(); ++i)
    largest[i] = largest[i] * (factors ? features.row_scale[i] : T(1)) * static_cast<T>(most_scale_);
  check_sizes<T>(largest, rows);
  projection.apply(rows.X, features, Z, rows.streaming);
}

void ElementwiseMap::transform(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z) const {
  transform_as<float>(rows, projection, Z);
}
void ElementwiseMap::transform(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z) const {
  transform_as<double>(rows, projection, Z);
}
void ElementwiseMap::transform_scaled(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                                      std::span<float> log_scale) const {
  transform_scaled_as<float>(rows, projection, Z, log_scale);
}
void ElementwiseMap::transform_scaled(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                                      std::span<double> log_scale) const {
  transform_scaled_as<double>(rows, projection, Z, log_scale);
}

void ElementwiseMap::transform_log(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                                   std::span<double> log_factor) const {
  transform_log_as<float>(rows, projection, Z, log_factor);
}
void ElementwiseMap::transform_log(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                                   std::span<double> log_factor) const {
  transform_log_as<double>(rows, projection, Z, log_factor);
}

template void check_sizes(std::span<const float>, const Rows<float>&);
template void check_sizes(std::span<const double>, const Rows<double>&);
template void exponentials_of_rows(MatrixView<float>, double, std::span<float>);
template void exponentials_of_rows(MatrixView<double>, double, std::span<double>);

}  // namespace bochner
