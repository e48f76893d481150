// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "maps/feature_map.h"
#include "simd/monomials.h"

namespace bochner {

/// What is subtracted from every row.
struct Shift {
  std::vector<double> values;       ///< in units of the lengthscale
  std::vector<double> lengthscale;  ///< for messages; empty: 1
};

/// Monomials of a row x, or of x - c, times exp(a |x|^2 - |x - c|^2 / 2), a of the kernel.
class MonomialMap final : public FeatureMap {
 public:
  MonomialMap(simd::Monomials monomials, double norm_exponent, std::optional<Shift> shift);

  void transform(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z) const override;
  void transform(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z) const override;
  void transform_scaled(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                        std::span<float> log_scale) const override;
  void transform_scaled(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                        std::span<double> log_scale) const override;
  void transform_log(const Rows<float>& rows, const Projection& projection, MatrixView<float> Z,
                     std::span<double> log_factor) const override;
  void transform_log(const Rows<double>& rows, const Projection& projection, MatrixView<double> Z,
                     std::span<double> log_factor) const override;

 private:
  /// If `log_factor` is not empty, it receives the common factor of each row, which Z then lacks.
  template <class T>
  void apply(const Rows<T>& rows, MatrixView<T> Z, simd::MonomialOutput output,
             std::span<double> log_factor = {}) const;
  /// y = x - c; returns a |x|^2 - |y|^2 / 2, term by term in double: for softmax the squares of x cancel.
  template <class T>
  double subtract_shift(std::span<const T> x, std::size_t row, std::span<T> y) const;

  simd::Monomials monomials_;
  double norm_exponent_;
  std::optional<Shift> shift_;
};

}  // namespace bochner
