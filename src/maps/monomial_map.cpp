// SPDX-License-Identifier: Apache-2.0
#include "maps/monomial_map.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "bochner/matrix.h"
#include "maps/elementwise.h"
#include "maps/monomial_shift.h"

namespace bochner {

MonomialMap::MonomialMap(simd::Monomials monomials, double norm_exponent, std::optional<Shift> shift)
    : monomials_(std::move(monomials)), norm_exponent_(norm_exponent), shift_(std::move(shift)) {}

/// An entry that differs from the shift by no more than its rounding to T counts as the shift itself.
template <class T>
double MonomialMap::subtract_shift(std::span<const T> x, std::size_t row, std::span<T> y) const {
  constexpr double kRounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  double sum = 0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double c = shift_->values[l];
    const double gap = static_cast<double>(x[l]) - c;
    if (gap < -kRounding * std::abs(c)) {
      const double sigma = lengthscale_at(shift_->lengthscale, l);
      throw std::invalid_argument(fmt::format(
          "X has {:.6g} at row {}, column {}, below the shift {:.6g} of that column; expected an entry at or "
          "above it: give a smaller shift, or fit to all data",
          static_cast<double>(x[l]) * sigma, row, l, c * sigma));
    }
    y[l] = static_cast<T>(gap > kRounding * std::abs(c) ? gap : 0);
    sum += norm_exponent_ * static_cast<double>(x[l]) * static_cast<double>(x[l]) - gap * gap / 2;
  }
  return sum;
}

/// Shifted rows and their terms are kept per thread until the next block.
template <class T>
void MonomialMap::apply(const Rows<T>& rows, MatrixView<T> Z, simd::MonomialOutput output,
                        std::span<double> log_factor) const {
  static thread_local std::vector<T> offsets, largest;
  static thread_local Matrix<T> shifted;
  const std::size_t n = rows.X.rows(), d = rows.X.cols();
  offsets.resize(n);
  MatrixView<const T> X = rows.X;
  if (shift_ && shifted.rows() * shifted.cols() < n * d) shifted = Matrix<T>(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    const double offset = shift_ ? subtract_shift<T>(rows.X.row(i), rows.first + i, {shifted.data() + i * d, d})
                                 : (norm_exponent_ - 0.5) * static_cast<double>(rows.norms[i]);
    offsets[i] = log_factor.empty() ? static_cast<T>(offset) : T(0);
    if (!log_factor.empty()) log_factor[i] = offset;
  }
  if (shift_) X = {shifted.data(), n, d};
  if (output == simd::MonomialOutput::exponent) return monomials_.apply<T>(X, offsets, Z, output);
  largest.assign(n, T(0));
  monomials_.apply<T>(X, offsets, Z, output, largest);
  check_sizes<T>(largest, rows);
}

void MonomialMap::transform(const Rows<float>& rows, const Projection&, MatrixView<float> Z) const {
  apply<float>(rows, Z, simd::MonomialOutput::value);
}
void MonomialMap::transform(const Rows<double>& rows, const Projection&, MatrixView<double> Z) const {
  apply<double>(rows, Z, simd::MonomialOutput::value);
}
void MonomialMap::transform_scaled(const Rows<float>& rows, const Projection&, MatrixView<float> Z,
                                   std::span<float> log_scale) const {
  apply<float>(rows, Z, simd::MonomialOutput::exponent);
  exponentials_of_rows<float>(Z, 0, log_scale);
}
void MonomialMap::transform_scaled(const Rows<double>& rows, const Projection&, MatrixView<double> Z,
                                   std::span<double> log_scale) const {
  apply<double>(rows, Z, simd::MonomialOutput::exponent);
  exponentials_of_rows<double>(Z, 0, log_scale);
}
void MonomialMap::transform_log(const Rows<float>& rows, const Projection&, MatrixView<float> Z,
                                std::span<double> log_factor) const {
  apply<float>(rows, Z, simd::MonomialOutput::exponent, log_factor);
}
void MonomialMap::transform_log(const Rows<double>& rows, const Projection&, MatrixView<double> Z,
                                std::span<double> log_factor) const {
  apply<double>(rows, Z, simd::MonomialOutput::exponent, log_factor);
}

}  // namespace bochner
