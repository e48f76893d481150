// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>
#include <variant>

#include "bochner/attention.h"
#include "bochner/half.h"

namespace bochner {

/// q, k or v as they were given: numbers of T, or 16-bit numbers, which are widened a few rows at a time (T is float
/// then).
template <class T>
class HeadsSource {
 public:
  template <class Given>
  HeadsSource(HeadsView<const Given> given)
      : batch(given.batch), heads(given.heads), length(given.length), dim(given.dim), given_(given) {}

  std::size_t batch, heads, length, dim;

  /// Whether rows are copied when they are read.
  bool widens() const { return !std::holds_alternative<HeadsView<const T>>(given_); }
  /// Rows [first, last) of a head: either where they lie, or copied to `room`, which has space for (last - first) dim
  /// numbers.
  MatrixView<const T> rows(std::size_t b, std::size_t h, std::size_t first, std::size_t last, T* room) const {
    if (const auto* view = std::get_if<HeadsView<const T>>(&given_)) return view->head(b, h).row_range(first, last);
    std::visit([&](const auto& view) { widen(view.head(b, h).row_range(first, last), room); }, given_);
    return {room, last - first, dim};
  }

 private:
  template <class Given>
  static void widen(MatrixView<const Given> from, T* to) {
    for (std::size_t i = 0; i < from.rows(); ++i)
      for (std::size_t c = 0; c < from.cols(); ++c) *to++ = static_cast<T>(static_cast<float>(from(i, c)));
  }

  std::variant<HeadsView<const T>, HeadsView<const Float16>, HeadsView<const BFloat16>> given_;
};

/// Where results are written, in the same way.
template <class T>
class HeadsSink {
 public:
  template <class Given>
  HeadsSink(HeadsView<Given> given) : given_(given) {}

  /// The largest number that a result can hold; anything above would be infinite.
  T largest() const { return std::holds_alternative<HeadsView<Float16>>(given_) ? T(65504) : kFinite; }
  /// Where row i of a head is to be written; `room` has as many numbers as a row.
  T* row(std::size_t b, std::size_t h, std::size_t i, T* room) const {
    const auto* view = std::get_if<HeadsView<T>>(&given_);
    return view != nullptr ? view->head(b, h).row(i).data() : room;
  }
  /// Call it when the row has been written.
  void store(std::size_t b, std::size_t h, std::size_t i, const T* room) const {
    if (std::holds_alternative<HeadsView<T>>(given_)) return;
    std::visit([&](const auto& view) { narrow(room, view.head(b, h).row(i)); }, given_);
  }

 private:
  template <class Given>
  static void narrow(const T* from, std::span<Given> to) {
    for (Given& number : to) number = Given(static_cast<float>(*from++));
  }

  // BFloat16 has the exponents of float; numbers beyond its largest, 3.39e38, round to infinity.
  static constexpr T kFinite = std::is_same_v<T, float> ? T(3.38e38) : std::numeric_limits<T>::max();
  std::variant<HeadsView<T>, HeadsView<Float16>, HeadsView<BFloat16>> given_;
};

}  // namespace bochner
