// SPDX-License-Identifier: Apache-2.0
#include "simd/project.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "simd/lanes.h"
#include "simd/target.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "simd/project.cpp"
#include "hwy/foreach_target.h"
// foreach_target.h comes before any other Highway header
#include "simd/tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bochner::simd::HWY_NAMESPACE {

std::size_t panel_width_float() { return kTileVectors * hn::Lanes(hn::ScalableTag<float>()); }
std::size_t panel_width_double() { return kTileVectors * hn::Lanes(hn::ScalableTag<double>()); }

void project_float(const ProjectTask<float>& task) { project_blocked(task); }
void project_double(const ProjectTask<double>& task) { project_blocked(task); }

template <class T>
void finish_rows_any(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z) {
  const hn::ScalableTag<T> d;
  const std::size_t m = P.cols();
  const std::size_t whole = m - m % hn::Lanes(d);
  const FinishBlock<T> finish_block = choose_finish<T>(finish.shape, false);
  finish_block({finish, 0, P.rows(), 0, whole, P.data(), P.stride(), Z, m});
  if (whole == m) return;
  HWY_ALIGN T tail[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < P.rows(); ++i) {
    std::memcpy(tail, P.row(i).data() + whole, (m - whole) * sizeof(T));
    finish_block({finish, i, 1, whole, m - whole, tail, 0, Z, m});
  }
}

void finish_rows_float(MatrixView<const float> P, const Finish<float>& f, MatrixView<float> Z) {
  finish_rows_any(P, f, Z);
}
void finish_rows_double(MatrixView<const double> P, const Finish<double>& f, MatrixView<double> Z) {
  finish_rows_any(P, f, Z);
}

}  // namespace bochner::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bochner::simd {
namespace {

HWY_EXPORT(panel_width_float);
HWY_EXPORT(panel_width_double);
HWY_EXPORT(project_float);
HWY_EXPORT(project_double);
HWY_EXPORT(finish_rows_float);
HWY_EXPORT(finish_rows_double);

template <class T>
std::size_t panel_width() {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    return HWY_DYNAMIC_DISPATCH(panel_width_float)();
  } else {
    return HWY_DYNAMIC_DISPATCH(panel_width_double)();
  }
}

}  // namespace

template <class T>
PackedRows<T>::PackedRows(MatrixView<const double> W)
    : rows_(W.rows()), depth_(W.cols()), panel_width_(simd::panel_width<T>()) {
  const std::size_t count = (rows_ + panel_width_ - 1) / panel_width_;
  panels_ = Matrix<T>(count * depth_, panel_width_);
  for (std::size_t p = 0; p < count; ++p) {
    for (std::size_t j = 0; j < panel_width_; ++j) {
      const std::size_t row = p * panel_width_ + j;
      T* out = panels_.data() + p * depth_ * panel_width_ + j;
      for (std::size_t k = 0; k < depth_; ++k) out[k * panel_width_] = row < rows_ ? static_cast<T>(W(row, k)) : T(0);
    }
  }
}

template <class T>
void project(const PackedRows<T>& W, MatrixView<const T> X, const Finish<T>& finish, MatrixView<T> Z, Rounding rounding,
             bool streaming) {
  const auto aligned = [](std::size_t bytes) { return bytes % 64 == 0; };
  streaming = streaming && aligned(reinterpret_cast<std::uintptr_t>(Z.data())) && aligned(Z.stride() * sizeof(T)) &&
              aligned(W.rows() * sizeof(T)) && aligned(W.panel_width() * sizeof(T));
  const ProjectTask<T> task{W, X, finish, Z, rounding, streaming};
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(project_float)(task);
  } else {
    HWY_DYNAMIC_DISPATCH(project_double)(task);
  }
}

template <class T>
void finish_rows(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z) {
  current_target();
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(finish_rows_float)(P, finish, Z);
  } else {
    HWY_DYNAMIC_DISPATCH(finish_rows_double)(P, finish, Z);
  }
}

template class PackedRows<float>;
template class PackedRows<double>;
template void project(const PackedRows<float>&, MatrixView<const float>, const Finish<float>&, MatrixView<float>,
                      Rounding, bool);
template void project(const PackedRows<double>&, MatrixView<const double>, const Finish<double>&, MatrixView<double>,
                      Rounding, bool);
template void finish_rows(MatrixView<const float>, const Finish<float>&, MatrixView<float>);
template void finish_rows(MatrixView<const double>, const Finish<double>&, MatrixView<double>);

}  // namespace bochner::simd
#endif  // HWY_ONCE
