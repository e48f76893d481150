// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/feature_panels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/parallel.h"
#include "features/scratch.h"
#include "simd/panel_product.h"
#include "simd/panel_sums.h"

namespace bochner {
namespace {

constexpr std::size_t kGroup = simd::kProductRows;
/// A tile of the Gram matrix. In float, a group of 1024 rows takes 24 KiB and stays in L1 or L2; a panel takes 64 or
/// 128 KiB of L2, which is fast enough. Tiles are small enough to give threads equal shares of a matrix of 1024
/// columns.
constexpr std::size_t kTileGroups = 16, kTileColumns = 128;
/// Rows whose features are computed before they are laid out.
constexpr std::size_t kFillRows = 32;

std::size_t parts(std::size_t count, std::size_t size) { return (count + size - 1) / size; }

/// The largest power of two that is at most the largest root of a weight; 1 if there are no weights.
double unit_of(std::span<const double> weights) {
  const double heaviest = weights.empty() ? 0 : *std::ranges::max_element(weights);
  return heaviest > 0 ? std::exp2(std::floor(std::log2(heaviest) / 2)) : 1;
}

template <class T>
void scale_by_roots(MatrixView<T> Z, std::span<const double> weights, double unit) {
  for (std::size_t i = 0; i < Z.rows(); ++i) {
    const T root = static_cast<T>(std::sqrt(weights[i]) / unit);
    for (T& value : Z.row(i)) value *= root;
  }
}

/// Copies columns [part width, (part + 1) width) of Z to lines first, first + 1, ... of that part; two at a time, since
/// a width is even and a copy of fixed size needs no call.
template <class T>
void copy_parts(MatrixView<const T> Z, std::size_t width, std::size_t first, Matrix<T>& parts) {
  for (std::size_t part = 0; part < parts.rows(); ++part) {
    const std::size_t column = part * width;
    T* line = parts.view().row(part).data() + first * width;
    for (std::size_t i = 0; i < Z.rows(); ++i, line += width) {
      const T* from = Z.row(i).data() + column;
      if (column + width > Z.cols())
        std::copy(from, Z.row(i).data() + Z.cols(), line);
      else
        for (std::size_t c = 0; c < width; c += 2) std::memcpy(line + c, from + c, 2 * sizeof(T));
    }
  }
}

}  // namespace

template <class T>
FeaturePanels<T>::FeaturePanels(std::size_t most_rows, std::size_t outputs)
    : most_rows_(most_rows),
      outputs_(outputs),
      columns_(simd::panel_columns<T>()),
      panel_count_(parts(outputs, columns_)),
      group_count_(parts(outputs, kGroup)),
      panels_(panel_count_, most_rows * columns_, T(0)),
      groups_(group_count_, most_rows * kGroup, T(0)) {
  for (std::size_t group = 0; group < group_count_; group += kTileGroups) {
    const std::size_t rows = std::min((group + kTileGroups) * kGroup, outputs_);
    for (std::size_t panel = 0; panel * columns_ < rows; panel += kTileColumns / columns_)
      tiles_.push_back({group, panel});
  }
}

template <class T>
void FeaturePanels<T>::fill(const Features& features, MatrixView<const T> X, std::span<const double> weights) {
  rows_ = X.rows();
  unit_ = unit_of(weights);
  parallel_for(rows_, kFillRows, [&](std::size_t first, std::size_t last) {
    Scratch<T> memory((last - first) * outputs_);
    const MatrixView<T> Z(memory.data(), last - first, outputs_);
    features.transform(X.row_range(first, last), Z);
    if (!weights.empty()) scale_by_roots(Z, weights.subspan(first, last - first), unit_);
    lay_out(Z, first);
  });
}

template <class T>
void FeaturePanels<T>::lay_out(MatrixView<const T> Z, std::size_t first) {
  copy_parts<T>(Z, columns_, first, panels_);
  copy_parts<T>(Z, kGroup, first, groups_);
}

template <class T>
void FeaturePanels<T>::add_products(MatrixView<double> gram) const {
  parallel_for(tiles_.size(), 1, [&](std::size_t tile, std::size_t) { add_tile(tiles_[tile], gram); });
}

template <class T>
void FeaturePanels<T>::add_tile(Tile tile, MatrixView<double> gram) const {
  const std::size_t groups = std::min(kTileGroups, group_count_ - tile.group), height = kTileGroups * kGroup;
  Scratch<T> memory(height * kTileColumns);
  const std::size_t last_panel = std::min(tile.panel + kTileColumns / columns_, panel_count_);
  const auto result = [&](std::size_t row, std::size_t panel) {
    return memory.data() + ((panel - tile.panel) * height + row) * columns_;
  };
  for (std::size_t panel = tile.panel; panel < last_panel; ++panel)
    for (std::size_t group = first_group(panel, tile); group < groups; ++group)
      simd::multiply<T>({kGroup, rows_, 1, groups_.view().row(tile.group + group).data(), 1, kGroup,
                         panels_.view().row(panel).data(), 0, false, result(group * kGroup, panel), columns_, 0});
  // Row by row: the accumulator is larger than the caches, so it is read in order.
  const std::size_t last = std::min(groups * kGroup, outputs_ - tile.group * kGroup);
  for (std::size_t i = 0; i < last; ++i)
    for (std::size_t panel = tile.panel; panel < last_panel && first_group(panel, tile) <= i / kGroup; ++panel) {
      const std::size_t column = panel * columns_, width = std::min(columns_, outputs_ - column);
      const T* from = result(i, panel);
      double* to = gram.row(tile.group * kGroup + i).data() + column;
      for (std::size_t c = 0; c < width; ++c) to[c] += unit_ * unit_ * double(from[c]);
    }
}

/// Only the groups of a panel that reach the diagonal or lie below it matter.
template <class T>
std::size_t FeaturePanels<T>::first_group(std::size_t panel, Tile tile) const {
  return std::max(tile.group, panel * columns_ / kGroup) - tile.group;
}

template <class T>
void FeaturePanels<T>::add_cross(MatrixView<const double> right, MatrixView<double> sums) const {
  parallel_for(panel_count_, 4, [&](std::size_t first, std::size_t last) {
    std::vector<double> own(columns_);
    for (std::size_t panel = first; panel < last; ++panel)
      for (std::size_t t = 0; t < right.cols(); ++t) {
        const std::size_t column = panel * columns_, width = std::min(columns_, outputs_ - column);
        std::fill(own.begin(), own.end(), 0.0);
        simd::add_weighted_lines<T>(rows_, right.data() + t, right.stride(), panels_.view().row(panel).data(),
                                    own.data());
        for (std::size_t c = 0; c < width; ++c) sums(t, column + c) += unit_ * own[c];
      }
  });
}

template class FeaturePanels<float>;
template class FeaturePanels<double>;

}  // namespace bochner
