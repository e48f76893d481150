// SPDX-License-Identifier: Apache-2.0
#include "tasks/key_sums.h"

#include <algorithm>
#include <cmath>

namespace bochner {

template <class T>
KeySums<T>::KeySums(const PanelSizes<T>& sizes, const HeadFeatures& head)
    : sizes_(sizes),
      slope_(static_cast<T>(head.slope)),
      offset_(head.offset),
      reference_(sizes.outputs, kNone),
      key_offset_(sizes.outputs, static_cast<T>(-kNone)),
      query_offset_(sizes.outputs, T(0)),
      total_(sizes.panels * sizes.rows, sizes.columns, T(0)),
      recent_(sizes.panels * sizes.rows, sizes.columns, T(0)),
      total_mass_(sizes.outputs, T(0)),
      recent_mass_(sizes.outputs, T(0)) {}

template <class T>
bool KeySums<T>::exceeded(std::span<const T> key, double log_factor) const {
  return !started_ || simd::largest_exponent<T>(key_exponents(log_factor), key) > kThreshold;
}

template <class T>
void KeySums<T>::raise(std::span<const T> key, double log_factor) {
  if (!started_) base_ = log_factor;
  started_ = true;
  const T shift = static_cast<T>(log_factor - base_);
  for (std::size_t j = 0; j < key.size(); ++j) {
    if (!(slope_ * key[j] + key_offset_[j] + shift > kThreshold)) continue;
    const double exponent = static_cast<double>(slope_) * static_cast<double>(key[j]) + offset_[j] + log_factor;
    scale(j, std::exp(reference_[j] - exponent));
    set_reference(j, exponent);
  }
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

/// A constant leaves all exponents of a query, so that those of features that count are small numbers.
template <class T>
void KeySums<T>::prepare() {
  const double largest = *std::max_element(reference_.begin(), reference_.end());
  for (std::size_t j = 0; j < reference_.size(); ++j)
    query_offset_[j] = static_cast<T>(offset_[j] + (reference_[j] - largest));
}

template <class T>
void KeySums<T>::add(const T* features, std::size_t count, const T* values, std::size_t panel_step,
                     std::span<const T> mass) {
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
  if (!started_) base_ = later.base_;
  started_ = true;
  for (std::size_t j = 0; j < sizes_.outputs; ++j) {
    const double reference = std::max(reference_[j], later.reference_[j]);
    if (reference > reference_[j]) {
      scale(j, std::exp(reference_[j] - reference));
      set_reference(j, reference);
    }
    const T factor = static_cast<T>(std::exp(later.reference_[j] - reference));
    for (std::size_t p = 0; p < sizes_.panels; ++p)
      for (std::size_t c = 0; c < sizes_.columns; ++c)
        total_(p * sizes_.rows + j, c) += factor * later.total_(p * sizes_.rows + j, c);
    total_mass_[j] += factor * later.total_mass_[j];
  }
}

template class KeySums<float>;
template class KeySums<double>;

}  // namespace bochner
