// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "attention/attention_chunk.h"
#include "attention/positive_rows.h"
#include "attention/signed_rows.h"

namespace bochner {
template <class T>
KeyChunk<T>::KeyChunk(const AttentionProblem<T>& problem, const PanelSizes<T>& sizes)
    : problem_(problem),
      sizes_(sizes),
      most_rows_(std::min(problem.k.length, kChunk)),
      memory_(lines<T>(most_rows_ * sizes.rows) + sizes.panels * panel_step() + lines<T>(most_rows_ * problem.k.dim) +
              lines<T>(problem.v.widens() ? most_rows_ * sizes.values : 0) +
              (most_rows_ + sizes.columns) * sizes.outputs),
      log_factor_(most_rows_),
      mass_(sizes.outputs, T(0)) {
  features_ = memory_.data();
  values_ = features_ + lines<T>(most_rows_ * sizes.rows);
  rows_ = values_ + sizes.panels * panel_step();
  value_rows_ = rows_ + lines<T>(most_rows_ * problem.k.dim);
  transposed_ = value_rows_ + lines<T>(problem.v.widens() ? most_rows_ * sizes.values : 0);
  // Features and columns after the last one stay zero.
  std::fill_n(features_, rows_ - features_, T(0));
}

template <class T>
void KeyChunk<T>::load(const HeadFeatures& head, const RowPlace& place) {
  count_ = place.last - place.first;
  signed_ = head.is_signed;
  const std::span<const bool> kept = problem_.kept(place.batch, place.first, place.last);
  for (std::size_t i = 0; i < count_; ++i) kept_[i] = kept.empty() || kept[i];
  keys_ = read_keys(head, place, kept);
  read_values(place, kept);
  const MatrixView<T> Z(features_, count_, sizes_.outputs, sizes_.rows);
  const std::span<double> factors(log_factor_.data(), count_);
  if (signed_) return signed_rows<T>(head, keys_, kept, Side::key, "k", place, Z, factors);
  positive_rows<T>(head, keys_, Side::key, "k", place, Z, factors);
  exact_.load(head, keys_, Z, factors, Side::key);
}

/// Replaces masked keys by a row that the map accepts, without checking them.
template <class T>
MatrixView<const T> KeyChunk<T>::read_keys(const HeadFeatures& head, const RowPlace& place,
                                           std::span<const bool> kept) {
  const std::size_t dim = problem_.k.dim;
  MatrixView<const T> keys = problem_.k.rows(place.batch, place.head, place.first, place.last, rows_);
  check_rows<T>(keys, kept, "k", place, problem_.largest);
  if (kept.empty()) return keys;
  for (std::size_t i = 0; i < count_; ++i) {
    if (kept_[i]) {
      if (!problem_.k.widens()) std::copy_n(keys.row(i).data(), dim, rows_ + i * dim);
    } else if (head.blank.empty()) {
      std::fill_n(rows_ + i * dim, dim, T(0));
    } else {
      for (std::size_t c = 0; c < dim; ++c) rows_[i * dim + c] = static_cast<T>(head.blank[c]);
    }
  }
  return {rows_, count_, dim};
}

template <class T>
void KeyChunk<T>::read_values(const RowPlace& place, std::span<const bool> kept) {
  const MatrixView<const T> values = problem_.v.rows(place.batch, place.head, place.first, place.last, value_rows_);
  check_rows<T>(values, kept, "v", place, kLargestEntry<T>);
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t p = 0; p < sizes_.panels; ++p) {
      const std::size_t first = p * sizes_.columns, width = std::min(sizes_.columns, sizes_.values - first);
      T* line = values_ + p * panel_step() + i * sizes_.columns;
      if (kept_[i])
        std::copy_n(values.row(i).data() + first, width, line);
      else
        std::fill_n(line, width, T(0));
    }
}

template <class T>
void KeyChunk<T>::add_to(KeySums<T>& sums, const std::function<void(std::size_t, std::size_t)>& before) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!kept_[i]) {
      std::fill_n(features_ + i * sizes_.rows, sizes_.outputs, T(0));
      continue;
    }
    if (raise_reference(sums, i, [&] { add_part(sums, first, i, before); })) first = i;
    exponentiate(sums, i);
  }
  add_part(sums, first, count_, before);
}

/// Whether the key exceeds a reference; if so, the key replaces it after `before` has been called.
template <class T>
template <class Before>
bool KeyChunk<T>::raise_reference(KeySums<T>& sums, std::size_t i, const Before& before) {
  const std::span<const T> row(features_ + i * sizes_.rows, sizes_.outputs);
  if (signed_) {
    if (!sums.scale_exceeded(log_factor_[i])) return false;
    before();
    sums.raise_scale(log_factor_[i]);
  } else if (exact_.has(i)) {
    if (!sums.exceeded_exactly(exact_.row(i), exact_.log_factor(i))) return false;
    before();
    sums.raise(exact_.row(i), exact_.log_factor(i));
  } else {
    if (!sums.exceeded(row, log_factor_[i])) return false;
    before();
    sums.raise(row, log_factor_[i]);
  }
  return true;
}

/// Replaces the exponents of row i by features relative to the references.
template <class T>
void KeyChunk<T>::exponentiate(KeySums<T>& sums, std::size_t i) {
  const std::span<T> row(features_ + i * sizes_.rows, sizes_.outputs);
  if (signed_) {
    const T factor = static_cast<T>(std::exp(log_factor_[i] - sums.reference()));
    for (std::size_t j = 0; j < row.size(); ++j) mass_[j] += row[j] *= factor;
  } else if (exact_.has(i)) {
    sums.key_exponents(exact_.row(i), exact_.log_factor(i), row);
    simd::exponentials_and_sums<T>(sums.plain_exponents(), row, mass_);
  } else {
    simd::exponentials_and_sums<T>(sums.key_exponents(log_factor_[i]), row, mass_);
  }
}

template <class T>
void KeyChunk<T>::add_part(KeySums<T>& sums, std::size_t first, std::size_t last,
                           const std::function<void(std::size_t, std::size_t)>& before) {
  if (first == last) return;
  if (before) before(first, last);
  sums.add(features(first), last - first, values(first), panel_step(), mass_);
  std::fill(mass_.begin(), mass_.end(), T(0));
  for (std::size_t i = first; i < last && signed_; ++i)
    if (kept_[i]) sums.mean().add(key(i));
}

template <class T>
void KeyChunk<T>::transpose(std::size_t first, std::size_t last, std::span<const T> factor) {
  const std::size_t columns = sizes_.columns, panel = sizes_.outputs * columns;
  const std::size_t count = last - first, whole = count / columns * columns;
  if (whole < count) std::fill_n(transposed_ + whole / columns * panel, panel, T(0));
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = features(first + i);
    T* line = transposed_ + i / columns * panel + i % columns;
    if (factor.empty())
      for (std::size_t j = 0; j < sizes_.outputs; ++j) line[j * columns] = row[j];
    else
      for (std::size_t j = 0; j < sizes_.outputs; ++j) line[j * columns] = row[j] * factor[j];
  }
}

template class KeyChunk<float>;
template class KeyChunk<double>;

}  // namespace bochner
