// SPDX-License-Identifier: Apache-2.0
// fastfood (Le, Sarlos & Smola, 2013): blocks W_b = diag(s_i / |G|) sqrt(D) H G P H B on inputs padded to R^D, D =
// `block` a power of two: B random signs, P a random permutation, G a Gaussian diagonal, H the normalised
// Walsh-Hadamard matrix, s_i the law's radius in R^D. Row i is s_i u' O_i with u = G 1 / |G| uniform on the sphere and
// O_i orthogonal, independent of u: it has exactly the law, so the estimate is unbiased. Rows of a block share G and
// are not orthogonal: the error is at least that of iid. Any m >= 1, d up to 2^20. Draw O(m), memory 21 bytes a row, 8
// more once float is used, 2 m log2(D) additions per input.
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/parameter.h"
#include "core/stream.h"
#include "couplings/coupling.h"
#include "couplings/hd_product.h"
#include "couplings/parameters.h"
#include "couplings/row_factors.h"
#include "couplings/structured.h"
#include "simd/fwht.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kFastBlock};

/// G / |G| of all blocks.
std::vector<double> draw_diagonals(std::uint64_t seed, const BlockShape& shape) {
  const Stream stream(seed, Purpose::fastfood_diagonal);
  std::vector<double> diagonals(shape.blocks() * shape.D);
  for (std::size_t b = 0; b < shape.blocks(); ++b) {
    const std::span<double> diagonal = std::span(diagonals).subspan(b * shape.D, shape.D);
    stream.fill_normal(b, 0, diagonal);
    double squares = 0;
    for (const double entry : diagonal) squares += entry * entry;
    for (double& entry : diagonal) entry /= std::sqrt(squares);
  }
  return diagonals;
}

/// A uniform permutation per block (Fisher & Yates); the remainder of a 64-bit word is uniform to 2^-44.
std::vector<std::uint32_t> draw_permutations(std::uint64_t seed, const BlockShape& shape) {
  const Stream stream(seed, Purpose::fastfood_permutation);
  std::vector<std::uint32_t> permutations(shape.blocks() * shape.D);
  for (std::size_t b = 0; b < shape.blocks(); ++b) {
    const std::span<std::uint32_t> order = std::span(permutations).subspan(b * shape.D, shape.D);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = shape.D - 1; i > 0; --i) std::swap(order[i], order[stream.bits(b, i) % (i + 1)]);
  }
  return permutations;
}

class FastfoodBlocks final : public FastBlocks {
 public:
  FastfoodBlocks(const DrawRequest& request, const BlockShape& shape)
      : D_(shape.D),
        signs_(draw_signs(request.seed, shape.blocks(), shape.D)),
        permutations_(draw_permutations(request.seed, shape)),
        diagonals_(shape.D, draw_diagonals(request.seed, shape)),
        norms_(shape.D, random_norms(request, shape, 1 / std::sqrt(static_cast<double>(shape.D)))) {}

  void apply(std::size_t block, MatrixView<const float> X, MatrixView<float> P, std::span<float> spare) const override {
    apply_as<float>(block, X, P, spare);
  }
  void apply(std::size_t block, MatrixView<const double> X, MatrixView<double> P,
             std::span<double> spare) const override {
    apply_as<double>(block, X, P, spare);
  }
  double longest_row() const override { return norms_.largest() * std::sqrt(static_cast<double>(D_)); }

 private:
  template <class T>
  void apply_as(std::size_t block, MatrixView<const T> X, MatrixView<T> P, std::span<T> spare) const {
    const std::uint32_t* order = permutations_.data() + block * D_;
    const T* diagonal = diagonals_.of<T>(block).data();
    simd::fwht<T>(X, {signs_.data() + block * D_, {}}, P);
    for (std::size_t i = 0; i < P.rows(); ++i) {
      const T* row = P.row(i).data();
      for (std::size_t j = 0; j < D_; ++j) spare[j] = diagonal[j] * row[order[j]];
      simd::fwht<T>(MatrixView<const T>(spare.data(), 1, D_), {nullptr, norms_.of<T>(block)}, P.row_range(i, i + 1));
    }
  }

  std::size_t D_;
  std::vector<std::uint8_t> signs_;
  std::vector<std::uint32_t> permutations_;
  RowFactors diagonals_;  // G / |G|
  RowFactors norms_;      // s_i / sqrt(D): the factor sqrt(D) over the D of two unnormalised transforms
};

}  // namespace

extern const Coupling fastfood_coupling;
const Coupling fastfood_coupling = {
    .entry = {.name = "fastfood",
              .aliases = "",
              .formula = "W_b = diag(radius / |G|) sqrt(D) H G P H B, G Gaussian, P permutation, B signs",
              .summary = "unbiased rows by fast transforms, error as iid: O(m log d) time and O(m) memory",
              .reference = "Le et al. 2013",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .structured = true,
    .bytes = structured_bytes,
    .largest_d = kLargestFastBlock,
    .draw = draw_structured<FastfoodBlocks>,
};

}  // namespace bochner
