// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "features/row_origin.h"
#include "simd/arrays.h"
#include "tasks/attention_chunk.h"

namespace bochner {
namespace {

/// Numbers of T in whole cache lines.
template <class T>
std::size_t lines(std::size_t count) {
  constexpr std::size_t kLine = 64 / sizeof(T);
  return (count + kLine - 1) / kLine * kLine;
}

template <class T>
[[noreturn]] void refuse_entry(std::span<const T> row, std::size_t i, const RowPlace& place, double largest) {
  std::size_t c = 0;
  while (c + 1 < row.size() && std::abs(static_cast<double>(row[c])) <= largest) ++c;
  const std::string at =
      fmt::format("{} has {} at [{}, {}, {}, {}]", place.name, row[c], place.batch, place.head, place.first + i, c);
  if (!std::isfinite(row[c])) throw std::invalid_argument(at + "; expected a finite number");
  throw std::invalid_argument(
      fmt::format("{}; expected at most {:.3g} in {}", at, largest, std::is_same_v<T, float> ? "float32" : "float64"));
}

}  // namespace

template <class T>
void check_rows(MatrixView<const T> rows, std::span<const bool> kept, const RowPlace& place, double largest) {
  const double safe = std::min(largest * largest, std::numeric_limits<double>::max());
  for (std::size_t i = 0; i < rows.rows(); ++i) {
    if (!kept.empty() && !kept[i]) continue;
    // |x_c| <= sqrt(norm): a small norm proves every entry in range.
    if (simd::squared_norm<T>(rows.row(i)) <= safe) continue;
    for (const T entry : rows.row(i))
      if (!(std::abs(static_cast<double>(entry)) <= largest)) refuse_entry<T>(rows.row(i), i, place, largest);
  }
}

template <class T>
KeyChunk<T>::KeyChunk(const PanelSizes<T>& sizes, std::size_t most_rows, std::size_t dim)
    : sizes_(sizes),
      most_rows_(std::min(most_rows, kChunk)),
      dim_(dim),
      memory_(lines<T>(most_rows_ * sizes.rows) + sizes.panels * panel_step() + lines<T>(most_rows_ * dim) +
              (most_rows_ + sizes.columns) * sizes.outputs),
      log_factor_(most_rows_),
      mass_(sizes.outputs, T(0)) {
  features_ = memory_.data();
  values_ = features_ + lines<T>(most_rows_ * sizes.rows);
  rows_ = values_ + sizes.panels * panel_step();
  transposed_ = rows_ + lines<T>(most_rows_ * dim);
  // Features and columns beyond the last stay zero.
  std::fill_n(features_, transposed_ - features_, T(0));
}

template <class T>
void KeyChunk<T>::load(const HeadFeatures& head, MatrixView<const T> k, MatrixView<const T> v,
                       std::span<const bool> kept, const RowPlace& key_place, double largest) {
  count_ = k.rows();
  RowPlace value_place = key_place;
  value_place.name = "v";
  check_rows<T>(k, kept, key_place, largest);
  check_rows<T>(v, kept, value_place, static_cast<double>(std::numeric_limits<T>::max()));
  for (std::size_t i = 0; i < count_; ++i) kept_[i] = kept.empty() || kept[i];
  MatrixView<const T> keys = k;
  if (!kept.empty()) {  // what is masked is not read
    for (std::size_t i = 0; i < count_; ++i) {
      if (kept_[i])
        std::copy_n(k.row(i).data(), dim_, rows_ + i * dim_);
      else
        std::fill_n(rows_ + i * dim_, dim_, T(0));
    }
    keys = {rows_, count_, dim_};
  }
  const RowOrigin origin(key_place.first);
  head.features->transform_log(keys, MatrixView<T>(features_, count_, sizes_.outputs, sizes_.rows),
                               {log_factor_.data(), count_}, Side::key);
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t p = 0; p < sizes_.panels; ++p) {
      const std::size_t first = p * sizes_.columns, width = std::min(sizes_.columns, sizes_.values - first);
      T* line = values_ + p * panel_step() + i * sizes_.columns;
      if (kept_[i])
        std::copy_n(v.row(i).data() + first, width, line);
      else
        std::fill_n(line, width, T(0));
    }
}

template <class T>
void KeyChunk<T>::add_to(KeySums<T>& sums, const std::function<void(std::size_t, std::size_t)>& before) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    const std::span<T> row(features_ + i * sizes_.rows, sizes_.outputs);
    if (!kept_[i]) {
      std::fill(row.begin(), row.end(), T(0));
      continue;
    }
    if (sums.exceeded(row, log_factor_[i])) {
      add_part(sums, first, i, before);
      first = i;
      sums.raise(row, log_factor_[i]);
    }
    simd::exponentials_and_sums<T>(sums.key_exponents(log_factor_[i]), row, mass_);
  }
  add_part(sums, first, count_, before);
}

template <class T>
void KeyChunk<T>::add_part(KeySums<T>& sums, std::size_t first, std::size_t last,
                           const std::function<void(std::size_t, std::size_t)>& before) {
  if (first == last) return;
  if (before) before(first, last);
  sums.add(features(first), last - first, values(first), panel_step(), mass_);
  std::fill(mass_.begin(), mass_.end(), T(0));
}

template <class T>
void KeyChunk<T>::transpose(std::size_t first, std::size_t last) {
  const std::size_t columns = sizes_.columns, panel = sizes_.outputs * columns;
  const std::size_t count = last - first, whole = count / columns * columns;
  if (whole < count) std::fill_n(transposed_ + whole / columns * panel, panel, T(0));
  for (std::size_t i = 0; i < count; ++i) {
    const T* row = features(first + i);
    T* line = transposed_ + i / columns * panel + i % columns;
    for (std::size_t j = 0; j < sizes_.outputs; ++j) line[j * columns] = row[j];
  }
}

template void check_rows(MatrixView<const float>, std::span<const bool>, const RowPlace&, double);
template void check_rows(MatrixView<const double>, std::span<const bool>, const RowPlace&, double);
template class KeyChunk<float>;
template class KeyChunk<double>;

}  // namespace bochner
