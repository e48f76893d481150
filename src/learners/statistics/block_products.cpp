// SPDX-License-Identifier: Apache-2.0
#include "learners/statistics/block_products.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/blas.h"
#include "features/scratch.h"
#include "simd/feature_rows.h"

namespace bochner {
namespace {

/// A coefficient that is not zero.
struct Place {
  std::uint32_t row, function;
};

std::vector<Place> places_of(MatrixView<const double> coefficients) {
  std::vector<Place> places;
  for (std::size_t i = 0; i < coefficients.rows(); ++i)
    for (std::size_t k = 0; k < coefficients.cols(); ++k)
      if (coefficients(i, k) != 0) places.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(k)});
  return places;
}

/// visit(first, last) for every tile of columns.
template <class Visit>
void for_each_tile(std::size_t cols, const Visit& visit) {
  for (std::size_t first = 0; first < cols; first += kTileColumns) visit(first, std::min(first + kTileColumns, cols));
}

/// visit(first, last, columns [first, last) of Z as doubles, or their squares).
template <class T, class Visit>
void for_each_wide_tile(MatrixView<const T> Z, bool squared, const Visit& visit) {
  Scratch<double> memory(Z.rows() * std::min(Z.cols(), kTileColumns));
  for_each_tile(Z.cols(), [&](std::size_t first, std::size_t last) {
    const MatrixView<double> tile(memory.data(), Z.rows(), last - first);
    for (std::size_t i = 0; i < Z.rows(); ++i) {
      const auto from = Z.row(i).subspan(first, last - first);
      const auto to = tile.row(i);
      for (std::size_t j = 0; j < from.size(); ++j) {
        const double value = from[j];
        to[j] = squared ? value * value : value;
      }
    }
    visit(first, last, MatrixView<const double>(tile));
  });
}

template <class T>
void dense_scores(MatrixView<const T> Z, MatrixView<const double> W, MatrixView<double> scores) {
  for (std::size_t i = 0; i < Z.rows(); ++i)
    for (std::size_t k = 0; k < W.rows(); ++k) scores(i, k) = W.cols() > Z.cols() ? W(k, Z.cols()) : 0.0;
  for_each_wide_tile(Z, false, [&](std::size_t first, std::size_t last, MatrixView<const double> tile) {
    blas::gemm_nt<double>(1, tile, W.col_range(first, last), 1, scores);
  });
}

template <class T>
void sparse_multiply(MatrixView<const T> Z, MatrixView<const double> V, std::span<const Place> places,
                     MatrixView<double> coefficients) {
  std::vector<double> products(places.size());
  for (std::size_t p = 0; p < places.size(); ++p)
    products[p] = V.cols() > Z.cols() ? V(places[p].function, Z.cols()) : 0.0;
  for_each_tile(Z.cols(), [&](std::size_t first, std::size_t last) {
    for (std::size_t p = 0; p < places.size(); ++p)
      products[p] += simd::dot_wide<T>(Z.row(places[p].row).subspan(first, last - first),
                                       V.row(places[p].function).subspan(first, last - first));
  });
  for (std::size_t p = 0; p < places.size(); ++p) coefficients(places[p].row, places[p].function) *= products[p];
}

template <class T>
void sparse_add(MatrixView<const T> Z, bool squared, std::span<const Place> places,
                MatrixView<const double> coefficients, MatrixView<double> sums) {
  const auto add = squared ? simd::add_scaled_squares<T> : simd::add_scaled<T>;
  for_each_tile(Z.cols(), [&](std::size_t first, std::size_t last) {
    for (const Place& place : places)
      add(coefficients(place.row, place.function), Z.row(place.row).subspan(first, last - first),
          sums.row(place.function).subspan(first, last - first));
  });
}

template <class T>
void add(Products products, MatrixView<const T> Z, bool squared, MatrixView<const double> coefficients,
         MatrixView<double> sums) {
  const std::vector<Place> places = places_of(coefficients);
  if (products == Products::nonzero)
    sparse_add(Z, squared, places, coefficients, sums);
  else
    for_each_wide_tile(Z, squared, [&](std::size_t first, std::size_t last, MatrixView<const double> tile) {
      blas::gemm_tn<double>(1, coefficients, tile, 1, sums.col_range(first, last));
    });
  if (sums.cols() == Z.cols()) return;
  for (const Place& place : places) sums(place.function, Z.cols()) += coefficients(place.row, place.function);
}

}  // namespace

/// A BLAS product takes as long as if it had eight columns more; per column it takes half as long as row by row
/// (bench/classifier_bench.cpp).
Products faster_products(std::size_t nonzero, std::size_t rows, std::size_t functions) {
  return 2 * nonzero < rows * (functions + 8) ? Products::nonzero : Products::all;
}

Products faster_products(MatrixView<const double> coefficients) {
  return faster_products(places_of(coefficients).size(), coefficients.rows(), coefficients.cols());
}

void scores_of(const RowPart& Z, MatrixView<const double> W, MatrixView<double> scores) {
  const std::size_t rows = scores.rows(), functions = scores.cols();
  if (faster_products(rows * functions, rows, functions) == Products::all)
    return std::visit([&](const auto& features) { dense_scores(features, W, scores); }, Z);
  for (std::size_t i = 0; i < rows; ++i) std::ranges::fill(scores.row(i), 1.0);
  multiply_by_scores(Products::nonzero, Z, W, scores);
}

void multiply_by_scores(Products products, const RowPart& Z, MatrixView<const double> V,
                        MatrixView<double> coefficients) {
  if (products == Products::nonzero)
    return std::visit([&](const auto& rows) { sparse_multiply(rows, V, places_of(coefficients), coefficients); }, Z);
  Scratch<double> memory(coefficients.rows() * coefficients.cols());
  const MatrixView<double> scores(memory.data(), coefficients.rows(), coefficients.cols());
  scores_of(Z, V, scores);
  for (std::size_t i = 0; i < scores.rows(); ++i)
    for (std::size_t k = 0; k < scores.cols(); ++k)
      if (coefficients(i, k) != 0) coefficients(i, k) *= scores(i, k);
}

void add_rows(Products products, const RowPart& Z, MatrixView<const double> coefficients, MatrixView<double> sums) {
  std::visit([&](const auto& rows) { add(products, rows, false, coefficients, sums); }, Z);
}

void add_squared_rows(Products products, const RowPart& Z, MatrixView<const double> coefficients,
                      MatrixView<double> sums) {
  std::visit([&](const auto& rows) { add(products, rows, true, coefficients, sums); }, Z);
}

}  // namespace bochner
