// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bochner/matrix_view.h"
#include "couplings/structured.h"

namespace bochner {

/// `count` independent sign vectors of length D in the form of simd::Diagonals: vector i is row i of the stream of the
/// seed, 64 signs per word.
std::vector<std::uint8_t> draw_signs(std::uint64_t seed, std::size_t count, std::size_t D);

/// An orthogonal matrix H D_1 H D_2 ... H D_k for each block of D rows, H the normalised Walsh-Hadamard matrix and D_i
/// diagonal random signs, independent between blocks. k D log2(D) additions per input, k bytes per row of W.
class HdProduct {
 public:
  HdProduct(std::uint64_t seed, const BlockShape& shape, std::size_t rounds);

  /// P = diag(factors) (1/unit) H D_1 ... H D_k [x; 0] for every row x of X; factors as in simd::Diagonals. Powers of
  /// two between the transforms keep numbers near the size of the input.
  template <class T>
  void apply(std::size_t block, MatrixView<const T> X, std::span<const T> factors, MatrixView<T> P) const;

  /// The factor that makes the rows of the matrix in `apply` unit vectors.
  double unit() const { return unit_; }

 private:
  std::size_t D_;
  std::size_t rounds_;
  double between_;  ///< 2^-floor(log2(D) / 2)
  double unit_;
  std::vector<std::uint8_t> signs_;
};

}  // namespace bochner
