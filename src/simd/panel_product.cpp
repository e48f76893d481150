// SPDX-License-Identifier: Apache-2.0
#include "simd/panel_product.h"

#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/panel_product.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// 6 rows x 2 vectors: 12 accumulators, 2 vectors of B and 1 of A in 15 registers.
template <class T>
HWY_NOINLINE void tile(std::size_t depth, const T* HWY_RESTRICT a, std::size_t row_step, std::size_t depth_step,
                       const T* HWY_RESTRICT b, bool resume, T* HWY_RESTRICT c, std::size_t c_step) {
  const hn::ScalableTag<T> d;
  using V = hn::VFromD<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  V s00 = hn::Zero(d), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  V s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00;
  const auto at = [&](std::size_t r, std::size_t v) HWY_ATTR { return c + r * c_step + v * lanes; };
  if (resume) {
    s00 = hn::Load(d, at(0, 0)), s01 = hn::Load(d, at(0, 1)), s10 = hn::Load(d, at(1, 0));
    s11 = hn::Load(d, at(1, 1)), s20 = hn::Load(d, at(2, 0)), s21 = hn::Load(d, at(2, 1));
    s30 = hn::Load(d, at(3, 0)), s31 = hn::Load(d, at(3, 1)), s40 = hn::Load(d, at(4, 0));
    s41 = hn::Load(d, at(4, 1)), s50 = hn::Load(d, at(5, 0)), s51 = hn::Load(d, at(5, 1));
  }
  const T* a3 = a + 3 * row_step;
  for (std::size_t k = 0; k < depth; ++k) {
    const V b0 = hn::Load(d, b), b1 = hn::Load(d, b + lanes);
    b += 2 * lanes;
    V x = hn::Set(d, a[0]);
    s00 = hn::MulAdd(x, b0, s00), s01 = hn::MulAdd(x, b1, s01);
    x = hn::Set(d, a[row_step]);
    s10 = hn::MulAdd(x, b0, s10), s11 = hn::MulAdd(x, b1, s11);
    x = hn::Set(d, a[2 * row_step]);
    s20 = hn::MulAdd(x, b0, s20), s21 = hn::MulAdd(x, b1, s21);
    x = hn::Set(d, a3[0]);
    s30 = hn::MulAdd(x, b0, s30), s31 = hn::MulAdd(x, b1, s31);
    x = hn::Set(d, a3[row_step]);
    s40 = hn::MulAdd(x, b0, s40), s41 = hn::MulAdd(x, b1, s41);
    x = hn::Set(d, a3[2 * row_step]);
    s50 = hn::MulAdd(x, b0, s50), s51 = hn::MulAdd(x, b1, s51);
    a += depth_step, a3 += depth_step;
  }
  hn::Store(s00, d, at(0, 0)), hn::Store(s01, d, at(0, 1)), hn::Store(s10, d, at(1, 0));
  hn::Store(s11, d, at(1, 1)), hn::Store(s20, d, at(2, 0)), hn::Store(s21, d, at(2, 1));
  hn::Store(s30, d, at(3, 0)), hn::Store(s31, d, at(3, 1)), hn::Store(s40, d, at(4, 0));
  hn::Store(s41, d, at(4, 1)), hn::Store(s50, d, at(5, 0)), hn::Store(s51, d, at(5, 1));
}

/// A panel of B stays in L1 while the rows of A pass by.
template <class T>
HWY_INLINE void multiply_any(const PanelProduct<T>& p) {
  for (std::size_t panel = 0; panel < p.panels; ++panel)
    for (std::size_t i = 0; i < p.rows; i += kProductRows)
      tile(p.depth, p.A + i * p.row_step, p.row_step, p.depth_step, p.B + panel * p.B_panel_step, p.resume,
           p.C + i * p.C_row_step + panel * p.C_panel_step, p.C_row_step);
}

std::size_t columns_float() { return 2 * hn::Lanes(hn::ScalableTag<float>()); }
std::size_t columns_double() { return 2 * hn::Lanes(hn::ScalableTag<double>()); }
void multiply_float(const PanelProduct<float>& product) { multiply_any(product); }
void multiply_double(const PanelProduct<double>& product) { multiply_any(product); }

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(columns_float);
HWY_EXPORT(columns_double);
HWY_EXPORT(multiply_float);
HWY_EXPORT(multiply_double);

}  // namespace

template <class T>
std::size_t panel_columns() {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    return HWY_DYNAMIC_DISPATCH(columns_float)();
  } else {
    return HWY_DYNAMIC_DISPATCH(columns_double)();
  }
}

template <class T>
void multiply(const PanelProduct<T>& product) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(multiply_float)(product);
  } else {
    HWY_DYNAMIC_DISPATCH(multiply_double)(product);
  }
}

template std::size_t panel_columns<float>();
template std::size_t panel_columns<double>();
template void multiply(const PanelProduct<float>&);
template void multiply(const PanelProduct<double>&);

}  // namespace bochner::simd
#endif  // HWY_ONCE
