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
void finish_rows_any(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z, const Place& place) {
  const hn::ScalableTag<T> d;
  const std::size_t whole = P.cols() - P.cols() % hn::Lanes(d);
  choose_finish<T>(finish, place.streaming)(
      {finish, place.first_row, P.rows(), place.first_direction, whole, P.data(), P.stride(), Z, place.directions});
  if (place.streaming) hwy::FlushStream();
  if (whole == P.cols()) return;
  HWY_ALIGN T tail[hn::MaxLanes(d)] = {};
  for (std::size_t i = 0; i < P.rows(); ++i) {
    std::memcpy(tail, P.row(i).data() + whole, (P.cols() - whole) * sizeof(T));
    choose_finish<T>(finish, false)({finish, place.first_row + i, 1, place.first_direction + whole, P.cols() - whole,
                                     tail, 0, Z, place.directions});
  }
}

void finish_rows_float(MatrixView<const float> P, const Finish<float>& f, MatrixView<float> Z, const Place& place) {
  finish_rows_any(P, f, Z, place);
}
void finish_rows_double(MatrixView<const double> P, const Finish<double>& f, MatrixView<double> Z, const Place& place) {
  finish_rows_any(P, f, Z, place);
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

/// Non-temporal stores go to whole cache lines: Z and its rows begin at one, and so does column `column`.
template <class T>
bool can_stream(MatrixView<T> Z, std::size_t column) {
  const auto aligned = [](std::size_t bytes) { return bytes % 64 == 0; };
  return aligned(reinterpret_cast<std::uintptr_t>(Z.data())) && aligned(Z.stride() * sizeof(T)) &&
         aligned(column * sizeof(T));
}

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
  streaming = streaming && can_stream(Z, W.rows()) && can_stream(Z, W.panel_width());
  const ProjectTask<T> task{W, X, finish, Z, rounding, streaming};
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(project_float)(task);
  } else {
    HWY_DYNAMIC_DISPATCH(project_double)(task);
  }
}

template <class T>
void finish_rows(MatrixView<const T> P, const Finish<T>& finish, MatrixView<T> Z, const Place& place) {
  current_target();
  Place where = place;
  if (where.directions == 0) where.directions = P.cols();
  where.streaming = place.streaming && can_stream(Z, where.first_direction) && can_stream(Z, where.directions);
  if constexpr (std::is_same_v<T, float>) {
    HWY_DYNAMIC_DISPATCH(finish_rows_float)(P, finish, Z, where);
  } else {
    HWY_DYNAMIC_DISPATCH(finish_rows_double)(P, finish, Z, where);
  }
}

template class PackedRows<float>;
template class PackedRows<double>;
template void project(const PackedRows<float>&, MatrixView<const float>, const Finish<float>&, MatrixView<float>,
                      Rounding, bool);
template void project(const PackedRows<double>&, MatrixView<const double>, const Finish<double>&, MatrixView<double>,
                      Rounding, bool);
template void finish_rows(MatrixView<const float>, const Finish<float>&, MatrixView<float>, const Place&);
template void finish_rows(MatrixView<const double>, const Finish<double>&, MatrixView<double>, const Place&);

}  // namespace bochner::simd
#endif  // HWY_ONCE
