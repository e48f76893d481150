// SPDX-License-Identifier: Apache-2.0
// circulant (Yu et al., 2015; Feng et al., 2015): blocks of d rows W_ij = g[(j - i) mod d] s_j, g a row of the law and
// s random signs, both new for each block. Each row is a rearrangement of independent coordinates of symmetric law, so
// it has exactly the law of a row, and the estimate is unbiased. Rows of a block share g: they are uncorrelated, but
// their norms are equal and their projections dependent, so the error is at least that of iid (about twice as large at
// m = d = 64). Any m >= 1, d >= 1, product laws. Draw O(m), memory at most 49 bytes a row; a product takes min(2 d^2,
// (10 log2(M) + 20) M) flops per block and input, M the least power of two >= d: directly or by the fast Fourier
// transform.
#include <bit>
#include <mutex>
#include <optional>

#include "core/stream.h"
#include "couplings/coupling.h"
#include "couplings/parameters.h"
#include "couplings/row_factors.h"
#include "couplings/structured.h"
#include "simd/fourier.h"
#include "simd/panels.h"

namespace bochner {
namespace {

/// Whether the transform needs fewer flops than the direct product; flops of both run at the same speed.
bool by_transform(std::size_t d) {
  const std::size_t M = std::bit_ceil(d);
  return 2 * d * d > (10 * static_cast<std::size_t>(std::countr_zero(M)) + 20) * M;
}

/// Tables of the transform in one precision, made at first use.
template <class T>
class LazyFourier {
 public:
  const simd::LineFourier<T>& get(std::size_t size) const {
    std::call_once(once_, [&] { fourier_.emplace(size); });
    return *fourier_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<simd::LineFourier<T>> fourier_;
};

/// What a product needs for each block: t, or its spectrum. With t_k = g[(d - 1 - k) mod d], k < 2d - 1, the
/// projections are the lines d - 1 .. 2d - 2 of the convolution t * (s x).
std::vector<double> draw_sequences(const DrawRequest& request, const BlockShape& shape) {
  const std::size_t d = shape.d;
  std::vector<double> all, g(d), taps(2 * d - 1);
  for (std::size_t b = 0; b < shape.blocks(); ++b) {
    request.law.fill_row(request.seed, b, g);
    for (std::size_t k = 0; k < taps.size(); ++k) taps[k] = g[(2 * d - 1 - k) % d];
    const std::vector<double> stored = by_transform(d) ? simd::line_spectrum(taps, std::bit_ceil(d)) : taps;
    all.insert(all.end(), stored.begin(), stored.end());
  }
  return all;
}

std::vector<std::int8_t> draw_signs(std::uint64_t seed, const BlockShape& shape) {
  const Stream stream(seed, Purpose::circulant_signs);
  std::vector<std::int8_t> signs;
  for (std::size_t b = 0; b < shape.blocks(); ++b)
    for (std::size_t j = 0; j < shape.d; ++j) signs.push_back(stream.rademacher(b, j) < 0 ? -1 : 1);
  return signs;
}

class CirculantBlocks final : public FastBlocks {
 public:
  CirculantBlocks(const DrawRequest& request, const BlockShape& shape)
      : d_(shape.d),
        signs_(draw_signs(request.seed, shape)),
        sequences_(by_transform(d_) ? 2 * std::bit_ceil(d_) : 2 * d_ - 1, draw_sequences(request, shape)) {}

  void apply(std::size_t block, MatrixView<const float> X, MatrixView<float> P, std::span<float>) const override {
    apply_as<float>(block, float_, X, P);
  }
  void apply(std::size_t block, MatrixView<const double> X, MatrixView<double> P, std::span<double>) const override {
    apply_as<double>(block, double_, X, P);
  }
  std::size_t rows_at_once(std::size_t element) const override { return 64 / element; }

 private:
  template <class T>
  void apply_as(std::size_t block, const LazyFourier<T>& fourier, MatrixView<const T> X, MatrixView<T> P) const {
    const std::size_t lines = 2 * d_ + (by_transform(d_) ? 2 * std::bit_ceil(d_) : 0);
    static thread_local Matrix<T> panels;
    if (panels.rows() < lines) panels = Matrix<T>(lines, simd::kPanel<T>);
    T* in = panels.data();
    T* out = in + d_ * simd::kPanel<T>;
    const std::span<const T> sequence = sequences_.of<T>(block);
    const T one = 1;
    for (std::size_t first = 0; first < X.rows(); first += simd::kPanel<T>) {
      const std::size_t last = std::min(first + simd::kPanel<T>, X.rows());
      simd::pack_panel<T>(X.row_range(first, last), in);
      turn_signs<T>(block, in);
      if (by_transform(d_)) {
        fourier.get(std::bit_ceil(d_)).multiply({sequence, in, d_, out, d_ - 1, d_, out + d_ * simd::kPanel<T>});
      } else {
        simd::toeplitz_lines<T>(sequence, d_, in, d_, out);
      }
      simd::unpack_panel<T>(out, std::span(&one, 1), P.row_range(first, last));
    }
  }

  template <class T>
  void turn_signs(std::size_t block, T* panel) const {
    const std::int8_t* signs = signs_.data() + block * d_;
    for (std::size_t j = 0; j < d_; ++j, panel += simd::kPanel<T>)
      for (std::size_t r = 0; r < simd::kPanel<T>; ++r) panel[r] *= static_cast<T>(signs[j]);
  }

  std::size_t d_;
  std::vector<std::int8_t> signs_;
  RowFactors sequences_;
  LazyFourier<float> float_;
  LazyFourier<double> double_;
};

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  const BlockShape shape{request.d, request.m, request.d};
  return structured_projection(shape, std::make_unique<CirculantBlocks>(request, shape));
}

}  // namespace

extern const Coupling circulant_coupling;
const Coupling circulant_coupling = {
    .entry = {.name = "circulant",
              .aliases = "",
              .formula = "W_ij = g[(j - i) mod d] s_j, g of the law, s signs",
              .summary = "unbiased rows by convolution, error as iid or more: O(m log d) time and O(m) memory",
              .reference = "Feng et al. 2015"},
    .needs = LawNeed::symmetric,
    .structured = true,
    .bytes = structured_bytes,
    .largest_d = kLargestFastBlock,
    .draw = draw,
};

}  // namespace bochner
