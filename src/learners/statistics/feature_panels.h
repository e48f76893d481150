// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bochner/features.h"
#include "bochner/matrix.h"

namespace bochner {

/// The features Z of a block of rows, laid out for the products over rows that make up a Gram matrix
/// (simd/panel_product.h): once in panels for the right factor, once in groups of six columns for the left one. Every
/// number is laid out once and used outputs / 2 times, so the layout costs nothing. It takes 2 rows x outputs numbers
/// of memory.
template <class T>
class FeaturePanels {
 public:
  FeaturePanels(std::size_t most_rows, std::size_t outputs);

  /// Z = features of the rows of X, row i times sqrt(weights_i); no weights: ones. They are held in T, divided by
  /// `unit_`, a power of two near the largest root: float cannot hold products of weights beyond 1e38, and this
  /// division rounds nothing.
  void fill(const Features& features, MatrixView<const T> X, std::span<const double> weights);
  /// The lower triangle of gram += Z' Z (some numbers above it change too). Sums over the rows of this block are in T,
  /// each one chain over the rows in order, so bits do not depend on threads or tiles.
  void add_products(MatrixView<double> gram) const;
  /// sums += right' Z in double; right has one row for every row of Z.
  void add_cross(MatrixView<const double> right, MatrixView<double> sums) const;

 private:
  struct Tile {
    std::size_t group, panel;  ///< the first of each
  };
  void lay_out(MatrixView<const T> Z, std::size_t first);
  std::size_t first_group(std::size_t panel, Tile tile) const;
  void add_tile(Tile tile, MatrixView<double> gram) const;

  std::size_t most_rows_, outputs_, columns_, panel_count_, group_count_;
  std::size_t rows_ = 0;
  double unit_ = 1;
  std::vector<Tile> tiles_;
  Matrix<T> panels_, groups_;
};

}  // namespace bochner
