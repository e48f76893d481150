// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "maps/feature_map.h"

namespace bochner {

/// A map whose every output is a function of one projection and of |x|^2:
///   scale exp(factor_exponent |x|^2) f(slope w.x + offset_exponent |x|^2 + column offset).
class ElementwiseMap final : public FeatureMap {
 public:
  struct Parameters {
    simd::Shape shape;
    double scale;
    double factor_exponent = 0;
    double offset_exponent = 0;
    double slope = 1;
    std::vector<double> column_offset = {};
  };

  explicit ElementwiseMap(const Parameters& parameters)
      : parameters_(parameters), float_offset_(parameters.column_offset.begin(), parameters.column_offset.end()) {}

  simd::Finish<float> finish(std::span<const float> norms, std::span<float> terms) const override {
    return finish_as<float>(norms, terms, float_offset_.empty() ? nullptr : float_offset_.data());
  }
  simd::Finish<double> finish(std::span<const double> norms, std::span<double> terms) const override {
    return finish_as<double>(norms, terms,
                             parameters_.column_offset.empty() ? nullptr : parameters_.column_offset.data());
  }

 private:
  template <class T>
  simd::Finish<T> finish_as(std::span<const T> norms, std::span<T> terms, const T* column_offset) const {
    simd::Finish<T> finish{.shape = parameters_.shape,
                           .scale = static_cast<T>(parameters_.scale),
                           .slope = static_cast<T>(parameters_.slope),
                           .column_offset = column_offset};
    if (parameters_.factor_exponent != 0) {
      for (std::size_t i = 0; i < norms.size(); ++i)
        terms[i] = static_cast<T>(std::exp(parameters_.factor_exponent * static_cast<double>(norms[i])));
      finish.row_scale = terms.data();
    } else if (parameters_.offset_exponent != 0) {
      for (std::size_t i = 0; i < norms.size(); ++i)
        terms[i] = static_cast<T>(parameters_.offset_exponent * static_cast<double>(norms[i]));
      finish.row_offset = terms.data();
    }
    return finish;
  }

  Parameters parameters_;
  std::vector<float> float_offset_;
};

}  // namespace bochner
