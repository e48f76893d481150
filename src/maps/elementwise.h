// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "maps/feature_map.h"

namespace bochner {

/// A map whose every output is a function of one projection and of |x|^2:
///   scale exp(factor_exponent |x|^2) f(slope w.x + offset_exponent |x|^2 + column offset),
/// with the numbers of each direction that the shape uses (finish.h).
class ElementwiseMap final : public FeatureMap {
 public:
  struct Parameters {
    simd::Shape shape;
    double scale;
    double factor_exponent = 0;
    double offset_exponent = 0;
    double slope = 1;
    std::vector<double> column_offset = {};
    std::vector<double> column_scale = {};
    double phase_slope = 0;
    std::vector<double> column_phase = {};
    /// Largest |w|, for exponentials: rows that it proves to be in range need not be checked.
    double longest_direction = std::numeric_limits<double>::infinity();
  };

  explicit ElementwiseMap(const Parameters& parameters);

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
  template <class T>
  simd::Finish<T> finish(const Rows<T>& rows) const;
  template <class T>
  void transform_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z) const;
  template <class T>
  bool may_overflow(const Rows<T>& rows) const;
  template <class T>
  void transform_scaled_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z,
                           std::span<T> log_scale) const;
  template <class T>
  void transform_log_as(const Rows<T>& rows, const Projection& projection, MatrixView<T> Z,
                        std::span<double> log_factor) const;

  Parameters parameters_;
  std::vector<float> float_offset_;
  std::vector<float> float_scale_;
  std::vector<float> float_phase_;
  double most_scale_ = 1;   ///< the largest column scale
  double most_offset_ = 0;  ///< the largest column offset
};

/// Refuses the first row whose largest feature is infinite or NaN.
template <class T>
void check_sizes(std::span<const T> largest, const Rows<T>& rows);

/// Each row of exponents z becomes exp(z - max z), and its log_scale is max z + `log_of_scale`. A row whose features
/// are all 0 (z = -infinity) becomes zeros, with a log scale of 0.
template <class T>
void exponentials_of_rows(MatrixView<T> Z, double log_of_scale, std::span<T> log_scale);

}  // namespace bochner
