// SPDX-License-Identifier: Apache-2.0
#include "attention/key_sums.h"

#include <algorithm>
#include <cmath>

namespace bochner {
namespace {

template <class T>
Matrix<T> copy_of(const Matrix<T>& from) {
  Matrix<T> made(from.rows(), from.cols());
  std::copy_n(from.data(), from.rows() * from.cols(), made.data());
  return made;
}

/// to = a x + b y by rows: element (p, j, c) of x has the factor a_j.
template <class T>
void weighted_sum(const PanelSizes<T>& sizes, const T* a, const Matrix<T>& x, const T* b, const Matrix<T>& y,
                  Matrix<T>& to) {
  for (std::size_t p = 0; p < sizes.panels; ++p)
    for (std::size_t j = 0; j < sizes.outputs; ++j) {
      const std::size_t row = (p * sizes.rows + j) * sizes.columns;
      const T *from = x.data() + row, *other = y.data() + row;
      T* out = to.data() + row;
      for (std::size_t c = 0; c < sizes.columns; ++c) out[c] = a[j] * from[c] + b[j] * other[c];
    }
}

/// to = b x, in the same way.
template <class T>
void scaled_copy(const PanelSizes<T>& sizes, const T* b, const Matrix<T>& x, Matrix<T>& to) {
  for (std::size_t p = 0; p < sizes.panels; ++p)
    for (std::size_t j = 0; j < sizes.outputs; ++j)
      for (std::size_t c = 0; c < sizes.columns; ++c) to(p * sizes.rows + j, c) = b[j] * x(p * sizes.rows + j, c);
}

}  // namespace

template <class T>
KeySums<T>::KeySums(const PanelSizes<T>& sizes, const HeadFeatures& head)
    : sizes_(sizes),
      slope_exactly_(head.slope),
      slope_(static_cast<T>(head.slope)),
      offset_(head.offset),
      reference_(sizes.outputs, kNone),
      key_offset_(sizes.outputs, static_cast<T>(-kNone)),
      query_offset_(sizes.outputs, T(0)),
      zeros_(sizes.outputs, T(0)),
      total_(sizes.panels * sizes.rows, sizes.columns, T(0)),
      total_mass_(sizes.outputs, T(0)),
      recent_mass_(sizes.outputs, T(0)) {}

template <class T>
KeySums<T> KeySums<T>::copy() const {
  KeySums made(sizes_, {.features = nullptr, .slope = slope_exactly_, .offset = offset_});
  made.reference_ = reference_;
  made.base_ = base_;
  made.started_ = started_;
  made.raises_ = raises_;
  made.key_offset_ = key_offset_;
  made.query_offset_ = query_offset_;
  made.total_ = copy_of(total_);
  made.recent_ = copy_of(recent_);
  made.total_mass_ = total_mass_;
  made.recent_mass_ = recent_mass_;
  made.has_recent_ = has_recent_;
  made.mean_ = mean_;
  return made;
}

template <class T>
bool KeySums<T>::exceeded(std::span<const T> key, double log_factor) const {
  return !started_ || simd::largest_exponent<T>(key_exponents(log_factor), key) > kThreshold;
}

template <class T>
template <class Z>
void KeySums<T>::raise(std::span<const Z> key, double log_factor) {
  base_ = started_ ? std::max(base_, log_factor) : log_factor;
  started_ = true;
  ++raises_;
  for (std::size_t j = 0; j < key.size(); ++j) {
    const double e = exponent(j, static_cast<double>(key[j]), log_factor);
    if (e > reference_[j] + kThreshold)
      move_reference(j, e);
    else
      set_reference(j, reference_[j]);
  }
}

template <class T>
bool KeySums<T>::exceeded_exactly(std::span<const double> key, double log_factor) const {
  for (std::size_t j = 0; j < key.size(); ++j)
    if (exponent(j, key[j], log_factor) > reference_[j] + kThreshold) return true;
  return !started_;
}

template <class T>
void KeySums<T>::raise_scale(double log_scale) {
  started_ = true;
  ++raises_;
  for (std::size_t j = 0; j < reference_.size(); ++j) move_reference(j, log_scale);
}

template <class T>
void KeySums<T>::key_exponents(std::span<const double> key, double log_factor, std::span<T> exponents) const {
  for (std::size_t j = 0; j < key.size(); ++j)
    exponents[j] = static_cast<T>(exponent(j, key[j], log_factor) - reference_[j]);
}

template <class T>
void KeySums<T>::query_exponents(std::span<const double> query, std::span<T> exponents) const {
  double top = 2 * kNone;
  for (std::size_t j = 0; j < query.size(); ++j) top = std::max(top, exponent(j, query[j], reference_[j]));
  for (std::size_t j = 0; j < query.size(); ++j)
    exponents[j] = static_cast<T>(exponent(j, query[j], reference_[j]) - top);
}

template <class T>
void KeySums<T>::move_reference(std::size_t j, double reference) {
  scale(j, std::exp(reference_[j] - reference));
  set_reference(j, reference);
}

template <class T>
void KeySums<T>::set_reference(std::size_t j, double reference) {
  reference_[j] = reference;
  key_offset_[j] = static_cast<T>(offset_[j] - (reference - base_));
}

template <class T>
void KeySums<T>::scale(std::size_t j, double factor) {
  const T f = static_cast<T>(factor);
  for (std::size_t p = 0; p < sizes_.panels; ++p)
    for (std::size_t c = 0; c < sizes_.columns; ++c) {
      total_(p * sizes_.rows + j, c) *= f;
      if (has_recent_) recent_(p * sizes_.rows + j, c) *= f;
    }
  total_mass_[j] *= f;
  recent_mass_[j] *= f;
}

/// Subtracts a constant from all exponents of queries, so that the exponents of important features are small numbers.
template <class T>
void KeySums<T>::prepare() {
  const double largest = *std::max_element(reference_.begin(), reference_.end());
  for (std::size_t j = 0; j < reference_.size(); ++j)
    query_offset_[j] = static_cast<T>(offset_[j] + (reference_[j] - largest));
}

template <class T>
void KeySums<T>::add(const T* features, std::size_t count, const T* values, std::size_t panel_step,
                     std::span<const T> mass) {
  if (recent_.rows() == 0) recent_ = Matrix<T>(sizes_.panels * sizes_.rows, sizes_.columns);
  simd::multiply<T>({.rows = sizes_.rows,
                     .depth = count,
                     .panels = sizes_.panels,
                     .A = features,
                     .row_step = 1,
                     .depth_step = sizes_.rows,
                     .B = values,
                     .B_panel_step = panel_step,
                     .resume = has_recent_,
                     .C = recent_.data(),
                     .C_row_step = sizes_.columns,
                     .C_panel_step = sizes_.rows * sizes_.columns});
  for (std::size_t j = 0; j < mass.size(); ++j) recent_mass_[j] += mass[j];
  has_recent_ = true;
}

template <class T>
void KeySums<T>::settle() {
  if (!has_recent_) return;
  const std::size_t count = total_.rows() * total_.cols();
  T* total = total_.data();
  const T* recent = recent_.data();
  for (std::size_t i = 0; i < count; ++i) total[i] += recent[i];
  for (std::size_t j = 0; j < sizes_.outputs; ++j) {
    total_mass_[j] += recent_mass_[j];
    recent_mass_[j] = 0;
  }
  has_recent_ = false;
}

template <class T>
void KeySums<T>::merge(const KeySums& later) {
  if (!later.started_) return;
  follow_references(*this, later);
  add_shares(*this, later);
}

/// `before` may be this object.
template <class T>
void KeySums<T>::follow_references(const KeySums& before, const KeySums& later) {
  const auto share = [](double own, double reference) {
    return own == reference ? T(1) : static_cast<T>(std::exp(own - reference));
  };
  base_ = before.started_ ? before.base_ : later.base_;
  started_ = before.started_ || later.started_;
  share_of_before_.resize(sizes_.outputs);
  share_of_later_.resize(sizes_.outputs);
  for (std::size_t j = 0; j < sizes_.outputs; ++j) {
    const double past = before.reference_[j], reference = std::max(past, later.reference_[j]);
    set_reference(j, reference);
    share_of_before_[j] = share(past, reference);
    share_of_later_[j] = share(later.reference_[j], reference);
  }
  combined_raises_ = later.raises_;
}

template <class T>
void KeySums<T>::combine(const KeySums& before, const KeySums& later) {
  if (share_of_later_.empty() || combined_raises_ != later.raises_) {
    follow_references(before, later);
    prepare();
  }
  add_shares(before, later);
}

/// `before` may be this object.
template <class T>
void KeySums<T>::add_shares(const KeySums& before, const KeySums& later) {
  const T *a = share_of_before_.data(), *b = share_of_later_.data();
  weighted_sum<T>(sizes_, a, before.total_, b, later.total_, total_);
  for (std::size_t j = 0; j < sizes_.outputs; ++j) {
    total_mass_[j] = a[j] * before.total_mass_[j] + b[j] * later.total_mass_[j];
    recent_mass_[j] = b[j] * later.recent_mass_[j];
  }
  has_recent_ = later.has_recent_;
  if (has_recent_) {
    if (recent_.rows() == 0) recent_ = Matrix<T>(total_.rows(), total_.cols(), T(0));
    scaled_copy<T>(sizes_, b, later.recent_, recent_);
  }
  if (this != &before) mean_ = before.mean_;
  mean_.merge(later.mean_);
}

template class KeySums<float>;
template class KeySums<double>;
template void KeySums<float>::raise(std::span<const float>, double);
template void KeySums<float>::raise(std::span<const double>, double);
template void KeySums<double>::raise(std::span<const double>, double);

}  // namespace bochner
