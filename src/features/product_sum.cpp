// SPDX-License-Identifier: Apache-2.0
#include "features/product_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "core/parallel.h"
#include "features/check.h"
#include "features/row_origin.h"
#include "features/scratch.h"
#include "simd/arrays.h"
#include "simd/outer.h"

namespace bochner {
namespace {

// A larger output does not fit a core's share of the last-level cache: write past the caches.
constexpr std::size_t kStreamingBytes = 8 * 1024 * 1024;
// Features of the parts of a block take half of a small L2, so that they are still there when the sections are written.
constexpr std::size_t kBlockBytes = 128 * 1024;
constexpr std::size_t kFewestRows = 12, kMostRows = 240;

std::size_t rows_per_block(std::size_t columns, std::size_t element) {
  return std::clamp(kBlockBytes / std::max<std::size_t>(1, columns * element), kFewestRows, kMostRows);
}

/// Refuses lengths that do not fit std::size_t.
std::size_t checked_sum(std::size_t a, std::size_t b, std::size_t c) {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max() / 64;
  if (c != 0 && b > (kMost - a) / c)
    throw std::invalid_argument(fmt::format("a product of {} and {} features is too long", b, c));
  return a + b * c;
}

Spec description(std::string name, const Features& base) {
  return {.d = base.d(),
          .kernel = "composed",
          .map = std::move(name),
          .coupling = base.spec().coupling,
          .m = base.m(),
          .seed = base.spec().seed};
}

}  // namespace

ProductSum::ProductSum(std::string name, std::vector<FeaturesPart> parts, std::vector<Section> sections)
    : spec_(description(std::move(name), *parts[sections.front().right])),
      parts_(std::move(parts)),
      sections_(std::move(sections)) {
  for (const Section& section : sections_) {
    const std::size_t left = section.left ? parts_[*section.left]->outputs() : 1;
    outputs_ = checked_sum(outputs_, left, parts_[section.right]->outputs());
    symmetric_ = symmetric_ && section.factor > 0 && parts_[section.right]->symmetric() &&
                 (!section.left || parts_[*section.left]->symmetric());
  }
  for (std::size_t part = 0; part < parts_.size(); ++part) {
    ways_.push_back(way_of(part));
    first_.push_back(columns_);
    if (ways_.back() != Way::straight) columns_ += parts_[part]->outputs();
  }
  for (const Way way : {Way::block, Way::gated})
    for (std::size_t part = 0; part < parts_.size(); ++part)
      if (ways_[part] == way) order_.push_back(part);
}

ProductSum::Way ProductSum::way_of(std::size_t part) const {
  std::size_t uses = 0;
  bool straight = false, gated = true;
  for (const Section& section : sections_) {
    if (section.left == part) return Way::block;
    if (section.right != part) continue;
    ++uses;
    straight = !section.left && section.factor == 1;
    gated = gated && section.left && parts_[*section.left]->outputs() == 1;
  }
  if (straight && uses == 1) return Way::straight;
  return gated ? Way::gated : Way::block;
}

std::size_t ProductSum::section_width(const Section& section) const {
  return (section.left ? parts_[*section.left]->outputs() : 1) * parts_[section.right]->outputs();
}

/// Gathers the rows that are needed, computes them and puts them back, the last one first. The other rows become 0,
/// which also keeps 0 times an overflow from being a NaN.
template <class T>
void ProductSum::compute_gated(std::size_t part, MatrixView<const T> X, T* memory, Side side) const {
  const MatrixView<T> out = place_of(part, X.rows(), memory);
  Scratch<T> gathered(X.rows() * X.cols());
  std::vector<std::size_t> needed;
  for (std::size_t i = 0; i < X.rows(); ++i) {
    const bool used = std::ranges::any_of(sections_, [&](const Section& section) {
      return section.right == part && place_of(*section.left, X.rows(), memory)(i, 0) != 0;
    });
    if (!used) continue;
    std::ranges::copy(X.row(i), gathered.data() + needed.size() * X.cols());
    needed.push_back(i);
  }
  const MatrixView<const T> rows(gathered.data(), needed.size(), X.cols());
  parts_[part]->transform(rows, out.row_range(0, needed.size()), side);
  for (std::size_t i = X.rows(); i-- > 0;) {
    if (needed.empty() || needed.back() != i) {
      std::ranges::fill(out.row(i), T(0));
      continue;
    }
    needed.pop_back();
    if (needed.size() != i) std::ranges::copy(out.row(needed.size()), out.row(i).begin());
  }
}

template <class T>
void ProductSum::write_row(std::size_t row, std::size_t rows, const T* memory, std::span<T> z, Side side,
                           bool streaming) const {
  static constexpr T kOne[] = {T(1)};
  for (const Section& section : sections_) {
    const std::size_t width = section_width(section);
    if (ways_[section.right] != Way::straight) {
      const double root = std::sqrt(std::abs(section.factor));
      const T scale = static_cast<T>(side == Side::key && section.factor < 0 ? -root : root);
      const std::span<const T> left = section.left ? place_of(*section.left, rows, memory).row(row) : kOne;
      simd::outer<T>(scale, left, place_of(section.right, rows, memory).row(row), z.subspan(0, width), streaming);
    }
    z = z.subspan(width);
  }
}

template <class T>
void ProductSum::transform_block(MatrixView<const T> X, MatrixView<T> Z, Side side, bool streaming) const {
  Scratch<T> memory(X.rows() * columns_);
  for (const std::size_t part : order_) {
    if (ways_[part] == Way::gated) {
      compute_gated<T>(part, X, memory.data(), side);
    } else {
      parts_[part]->transform(X, place_of(part, X.rows(), memory.data()), side);
    }
  }
  std::vector<T> largest(parts_.size(), T(0));
  for (std::size_t i = 0; i < X.rows(); ++i) {
    for (const std::size_t part : order_)
      largest[part] = simd::largest_size<T>(place_of(part, X.rows(), memory.data()).row(i));
    check_products<T>(i, largest);
    write_row<T>(i, X.rows(), memory.data(), Z.row(i), side, streaming);
  }
  if (streaming) simd::end_streaming();
}

template <class T>
void ProductSum::check_products(std::size_t row, std::span<const T> largest) const {
  for (const Section& section : sections_) {
    if (ways_[section.right] == Way::straight) continue;
    const T left = static_cast<T>(std::sqrt(std::abs(section.factor))) * (section.left ? largest[*section.left] : T(1));
    if (std::isfinite(left * largest[section.right]) && std::isfinite(left)) continue;
    throw std::invalid_argument(fmt::format(
        "X has a row too long for map '{}': products of its features overflow {} at row {}; use a larger lengthscale "
        "or another map",
        spec_.map, std::is_same_v<T, float> ? "float32" : "float64", RowOrigin::current() + row));
  }
}

/// Parts check their rows one part after the other. If one refuses, rows are computed one by one, so that the message
/// is about the first row that is refused by itself.
template <class T>
void ProductSum::transform_as(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
  check_shapes<T>(X, Z, *this);
  try {
    transform_rows<T>(X, Z, side);
  } catch (const std::invalid_argument&) {
    if (X.rows() > 1)
      parallel_for(X.rows(), kFewestRows, [&](std::size_t first, std::size_t last) {
        for (std::size_t i = first; i < last; ++i) {
          const RowOrigin origin(i);
          transform_rows<T>(X.row_range(i, i + 1), Z.row_range(i, i + 1), side);
        }
      });
    throw;
  }
}

template <class T>
void ProductSum::transform_rows(MatrixView<const T> X, MatrixView<T> Z, Side side) const {
  std::size_t column = 0;
  for (const Section& section : sections_) {
    const std::size_t width = section_width(section);
    if (ways_[section.right] == Way::straight)
      parts_[section.right]->transform(X, Z.col_range(column, column + width), side);
    column += width;
  }
  if (order_.empty()) return;
  const bool streaming = X.rows() * outputs_ * sizeof(T) > kStreamingBytes;
  parallel_for(X.rows(), rows_per_block(columns_, sizeof(T)), [&](std::size_t first, std::size_t last) {
    const RowOrigin origin(first);
    transform_block<T>(X.row_range(first, last), Z.row_range(first, last), side, streaming);
  });
}

void ProductSum::transform(MatrixView<const float> X, MatrixView<float> Z, Side side) const {
  transform_as<float>(X, Z, side);
}
void ProductSum::transform(MatrixView<const double> X, MatrixView<double> Z, Side side) const {
  transform_as<double>(X, Z, side);
}

}  // namespace bochner
