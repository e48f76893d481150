// SPDX-License-Identifier: Apache-2.0
#include "simd/panel_sums.h"

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panel_sums.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"
#include "simd/reduce-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Sums over kVectors vectors of doubles of every panel row, one column per lane; a panel row has `columns` numbers.
template <std::size_t kVectors, class T>
HWY_INLINE void add_columns(std::size_t rows, const double* HWY_RESTRICT weights, std::size_t weight_step,
                            const T* HWY_RESTRICT panel, std::size_t columns, double* HWY_RESTRICT sums) {
  const hn::ScalableTag<double> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  static_assert(kVectors == 2 || kVectors == 4);
  V s0 = hn::LoadU(d, sums), s1 = hn::LoadU(d, sums + lanes), s2 = hn::Zero(d), s3 = s2;
  if constexpr (kVectors == 4) s2 = hn::LoadU(d, sums + 2 * lanes), s3 = hn::LoadU(d, sums + 3 * lanes);
  for (std::size_t k = 0; k < rows; ++k, panel += columns) {
    const V weight = hn::Set(d, weights[k * weight_step]);
    s0 = hn::MulAdd(weight, load_double(d, panel), s0);
    s1 = hn::MulAdd(weight, load_double(d, panel + lanes), s1);
    if constexpr (kVectors == 4) {
      s2 = hn::MulAdd(weight, load_double(d, panel + 2 * lanes), s2);
      s3 = hn::MulAdd(weight, load_double(d, panel + 3 * lanes), s3);
    }
  }
  hn::StoreU(s0, d, sums), hn::StoreU(s1, d, sums + lanes);
  if constexpr (kVectors == 4) hn::StoreU(s2, d, sums + 2 * lanes), hn::StoreU(s3, d, sums + 3 * lanes);
}

/// A panel row has two vectors of T: four of doubles for float, two for double or where a vector has one lane.
template <class T>
HWY_INLINE void add_lines(std::size_t rows, const double* weights, std::size_t step, const T* panel, double* sums) {
  const std::size_t columns = 2 * hn::Lanes(hn::ScalableTag<T>());
  if (columns == 4 * hn::Lanes(hn::ScalableTag<double>()))
    add_columns<4>(rows, weights, step, panel, columns, sums);
  else
    add_columns<2>(rows, weights, step, panel, columns, sums);
}

void lines_float(std::size_t rows, const double* weights, std::size_t step, const float* panel, double* sums) {
  add_lines(rows, weights, step, panel, sums);
}
void lines_double(std::size_t rows, const double* weights, std::size_t step, const double* panel, double* sums) {
  add_lines(rows, weights, step, panel, sums);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(lines_float);
HWY_EXPORT(lines_double);

}  // namespace

template <>
void add_weighted_lines(std::size_t rows, const double* weights, std::size_t weight_step, const float* panel,
                        double* sums) {
  current_target();
  HWY_DYNAMIC_DISPATCH(lines_float)(rows, weights, weight_step, panel, sums);
}
template <>
void add_weighted_lines(std::size_t rows, const double* weights, std::size_t weight_step, const double* panel,
                        double* sums) {
  current_target();
  HWY_DYNAMIC_DISPATCH(lines_double)(rows, weights, weight_step, panel, sums);
}

}  // namespace bochner::simd
#endif  // HWY_ONCE
