// SPDX-License-Identifier: Apache-2.0
#include "couplings/hd_product.h"

#include <bit>
#include <cmath>

#include "core/stream.h"
#include "simd/fwht.h"

namespace bochner {
namespace {

// Sign vectors are numbered as if there were always this many rounds: those of a block do not depend on `rounds`.
constexpr std::size_t kMostRounds = 3;

}  // namespace

std::vector<std::uint8_t> draw_signs(std::uint64_t seed, std::size_t count, std::size_t D) {
  const Stream stream(seed, Purpose::hadamard_signs);
  std::vector<std::uint8_t> signs(count * D);
  for (std::size_t row = 0; row < count; ++row) {
    std::uint64_t word = 0;
    for (std::size_t j = 0; j < D; ++j) {
      word = j % 64 == 0 ? stream.bits(row, j / 64) : word >> 1;
      signs[row * D + j] = (word & 1) == 0 ? simd::Diagonals<float>::kPlus : simd::Diagonals<float>::kMinus;
    }
  }
  return signs;
}

HdProduct::HdProduct(std::uint64_t seed, const BlockShape& shape, std::size_t rounds)
    : D_(shape.D), rounds_(rounds), signs_(draw_signs(seed, shape.blocks() * kMostRounds, shape.D)) {
  const int log2_D = std::countr_zero(D_);
  between_ = std::ldexp(1.0, -(log2_D / 2));
  // D^{-k/2} over between^{k-1}: for odd log2(D) each `between` is sqrt(2) too large.
  const double excess = log2_D % 2 == 0 ? 1.0 : std::ldexp(1.0, static_cast<int>(rounds) - 1);
  unit_ = 1 / std::sqrt(static_cast<double>(D_) * excess);
}

template <class T>
void HdProduct::apply(std::size_t block, MatrixView<const T> X, std::span<const T> factors, MatrixView<T> P) const {
  const T between = static_cast<T>(between_);
  const std::uint8_t* signs = signs_.data() + block * kMostRounds * D_;
  MatrixView<const T> input = X;
  for (std::size_t round = rounds_; round > 0; --round) {
    const std::span<const T> scale = round > 1 ? std::span<const T>(&between, 1) : factors;
    simd::fwht<T>(input, {signs + (round - 1) * D_, scale}, P);
    input = P;
  }
}

template void HdProduct::apply(std::size_t, MatrixView<const float>, std::span<const float>, MatrixView<float>) const;
template void HdProduct::apply(std::size_t, MatrixView<const double>, std::span<const double>,
                               MatrixView<double>) const;

}  // namespace bochner
