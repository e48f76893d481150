// SPDX-License-Identifier: Apache-2.0
#include "features/check.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/errors.h"
#include "simd/arrays.h"

namespace bochner {
namespace {

template <class T>
constexpr T kLargest = std::is_same_v<T, float> ? T(1e18) : T(1e150);

/// Throws for the entry that made the norm of a row non-finite; returns if all are in range (only the norm overflowed).
template <class T>
void refuse_entry(std::span<const T> x, std::span<const T> inverse, std::span<const T> scaled, std::size_t row,
                  std::string_view name) {
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!std::isfinite(x[j]))
      throw std::invalid_argument(
          fmt::format("{} has {} at row {}, column {}; expected a finite number", name, x[j], row, j));
    if (!std::isfinite(inverse[inverse.size() == 1 ? 0 : j]))
      throw std::invalid_argument(
          fmt::format("lengthscale is below {:.2g}; expected a larger one for rows of float32, or rows of float64",
                      1 / static_cast<double>(std::numeric_limits<float>::max())));
    if (!(std::abs(scaled[j]) <= kLargest<T>))
      throw std::invalid_argument(
          fmt::format("{} has {} at row {}, column {}; expected |x| <= {} times the lengthscale in {}", name, x[j], row,
                      j, kLargest<T>, std::is_same_v<T, float> ? "float32" : "float64"));
  }
}

}  // namespace

std::vector<double> inverse_lengthscale(std::span<const double> lengthscale, std::size_t d) {
  if (lengthscale.size() != 1 && lengthscale.size() != d)
    refuse("lengthscale", fmt::format("a list of {} numbers", lengthscale.size()),
           fmt::format("one number, or one for each of the {} coordinates", d));
  std::vector<double> inverse;
  for (const double sigma : lengthscale) {
    if (!std::isfinite(sigma) || !(sigma > 0)) refuse("lengthscale", fmt::format("{}", sigma), "a finite number > 0");
    if (!std::isfinite(1 / sigma)) refuse("lengthscale", fmt::format("{}", sigma), "a number above 1e-307");
    inverse.push_back(1 / sigma);
  }
  return inverse;
}

template <class T>
void scale_rows(MatrixView<const T> X, std::span<const T> inverse, std::size_t first_row, MatrixView<T> Y,
                std::span<T> norms, std::string_view name) {
  // |y| <= sqrt(norm), so a norm up to kLargest^2 proves that every entry is in range.
  constexpr T kSafe = kLargest<T> * kLargest<T>;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    norms[i] = simd::scale_row<T>(X.row(i), inverse, Y.row(i));
    if (!(norms[i] <= kSafe)) refuse_entry<T>(X.row(i), inverse, Y.row(i), first_row + i, name);
  }
}

template <class T>
void check_shapes(MatrixView<const T> X, MatrixView<T> Z, const Features& features) {
  if (X.cols() != features.d())
    refuse("X", fmt::format("{} x {}", X.rows(), X.cols()), fmt::format("n x {} (d)", features.d()));
  if (Z.rows() != X.rows() || Z.cols() != features.outputs())
    refuse("Z", fmt::format("{} x {}", Z.rows(), Z.cols()),
           fmt::format("{} x {} (outputs)", X.rows(), features.outputs()));
}

void check_part(const Features* part) {
  if (part == nullptr) throw std::invalid_argument("a part is null; expected features");
  if (!part->fitted())
    throw std::invalid_argument(fmt::format(
        "a part of map '{}' is not fitted; expected every parameter given, or found by fit before", part->spec().map));
}

void check_log_scale(std::size_t size, std::size_t rows) {
  if (size != rows) refuse("log_scale", fmt::format("{} numbers", size), fmt::format("{}, one per row of X", rows));
}

template void check_shapes(MatrixView<const float>, MatrixView<float>, const Features&);
template void check_shapes(MatrixView<const double>, MatrixView<double>, const Features&);
template void scale_rows(MatrixView<const float>, std::span<const float>, std::size_t, MatrixView<float>,
                         std::span<float>, std::string_view);
template void scale_rows(MatrixView<const double>, std::span<const double>, std::size_t, MatrixView<double>,
                         std::span<double>, std::string_view);

}  // namespace bochner
