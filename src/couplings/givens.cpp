// SPDX-License-Identifier: Apache-2.0
// givens (the butterfly of plane rotations of Genz, 1998): blocks W_b = diag(norm) R P S on inputs padded to R^D, D =
// `block` a power of two: S random signs, P a random permutation, R log2(D) layers of D/2 rotations by uniform angles,
// each pairing coordinates whose indices differ in one bit; norm is sqrt(D) or the law's own radius in R^D (`norms`).
// Rows of a block are exactly orthogonal in R^D, but an entry of a row is a product of log2(D) sines and cosines: for a
// unit row u, E u_j^2 = 1/D and E u_j^4 = (3/8)^log2(D) instead of 3 / (D (D + 2)), so the estimate is biased. With w =
// sqrt(D) u and k = (3/2)^log2(D), odd moments are 0 and
//   E (w.z)^4 = k sum z_j^4 + 3 (D - k)/(D - 1) (|z|^4 - sum z_j^4)       (with chi norms (D + 2)/D times that)
// instead of the 3 |z|^4 of the normal law; 1/24 of the difference is the bias of cos(w.z) to leading order. Averaged
// over all directions of z, it is that of orthogonal_fixed, and 0 with chi norms; along one coordinate it is about
// (k - 3) |z|^4 / 24, along (1, ..., 1) -k |z|^4 / (12 D).
// Any m >= 1, d up to 2^20. Draw O(m log D), memory 12 log2(D) + 16 bytes a row, 3 m log2(D) flops per input.
#include <bit>
#include <cmath>
#include <numeric>

#include "core/parallel.h"
#include "core/parameter.h"
#include "core/stream.h"
#include "couplings/coupling.h"
#include "couplings/parameters.h"
#include "couplings/row_factors.h"
#include "couplings/structured.h"
#include "simd/panels.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kNorms, kFastBlock};
constexpr std::uint32_t kMinus = std::uint32_t{1} << 31;

std::size_t turns_per_block(std::size_t D) { return D * static_cast<std::size_t>(std::countr_zero(D)); }

/// Cosines and sines of all rotations: a pair of normals on the unit circle has a uniform angle.
std::vector<double> draw_turns(std::uint64_t seed, const BlockShape& shape) {
  const Stream stream(seed, Purpose::rotations);
  const std::size_t count = turns_per_block(shape.D);
  std::vector<double> turns(shape.blocks() * count);
  parallel_for(shape.blocks(), 1, [&](std::size_t b, std::size_t) {
    const std::span<double> block = std::span(turns).subspan(b * count, count);
    stream.fill_normal(b, 0, block);
    for (std::size_t k = 0; k < count; k += 2) {
      const double norm = std::sqrt(block[k] * block[k] + block[k + 1] * block[k + 1]);
      block[k] /= norm;
      block[k + 1] /= norm;
    }
  });
  return turns;
}

/// P S of all blocks: entry k is the coordinate that moves to place k (Fisher & Yates; the remainder of a 64-bit word
/// is uniform to 2^-44), with kMinus if its sign changes.
std::vector<std::uint32_t> draw_places(std::uint64_t seed, const BlockShape& shape) {
  const Stream stream(seed, Purpose::rotation_places), signs(seed, Purpose::rotation_signs);
  std::vector<std::uint32_t> places(shape.blocks() * shape.D);
  parallel_for(shape.blocks(), 1, [&](std::size_t b, std::size_t) {
    const std::span<std::uint32_t> order = std::span(places).subspan(b * shape.D, shape.D);
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = shape.D - 1; i > 0; --i) std::swap(order[i], order[stream.bits(b, i) % (i + 1)]);
    for (std::size_t k = 0; k < shape.D; ++k)
      if (signs.rademacher(b, k) < 0) order[k] |= kMinus;
  });
  return places;
}

class GivensBlocks final : public FastBlocks {
 public:
  GivensBlocks(const DrawRequest& request, const BlockShape& shape)
      : D_(shape.D),
        places_(draw_places(request.seed, shape)),
        turns_(turns_per_block(shape.D), draw_turns(request.seed, shape)),
        norms_(shape.D, row_norms(request, shape, 1.0)) {}

  void apply(std::size_t block, MatrixView<const float> X, MatrixView<float> P, std::span<float>) const override {
    apply_as<float>(block, X, P);
  }
  void apply(std::size_t block, MatrixView<const double> X, MatrixView<double> P, std::span<double>) const override {
    apply_as<double>(block, X, P);
  }
  std::size_t rows_at_once(std::size_t element) const override { return 64 / element; }

 private:
  template <class T>
  void apply_as(std::size_t block, MatrixView<const T> X, MatrixView<T> P) const {
    static thread_local Matrix<T> panels;
    if (panels.rows() < X.cols() + D_) panels = Matrix<T>(X.cols() + D_, simd::kPanel<T>);
    T* turned = panels.data() + X.cols() * simd::kPanel<T>;
    for (std::size_t first = 0; first < X.rows(); first += simd::kPanel<T>) {
      const std::size_t last = std::min(first + simd::kPanel<T>, X.rows());
      simd::pack_panel<T>(X.row_range(first, last), panels.data());
      place_lines<T>(block, panels.data(), X.cols(), turned);
      simd::rotate_lines<T>(turns_.of<T>(block), D_, turned);
      simd::unpack_panel<T>(turned, norms_.of<T>(block), P.row_range(first, last));
    }
  }

  template <class T>
  void place_lines(std::size_t block, const T* in, std::size_t d, T* out) const {
    const std::uint32_t* order = places_.data() + block * D_;
    for (std::size_t k = 0; k < D_; ++k, out += simd::kPanel<T>) {
      const std::size_t from = order[k] & ~kMinus;
      const T sign = from >= d ? T(0) : (order[k] & kMinus) != 0 ? T(-1) : T(1);
      const T* line = in + (from < d ? from : 0) * simd::kPanel<T>;
      for (std::size_t r = 0; r < simd::kPanel<T>; ++r) out[r] = sign * line[r];
    }
  }

  std::size_t D_;
  std::vector<std::uint32_t> places_;
  RowFactors turns_;
  RowFactors norms_;
};

}  // namespace

extern const Coupling givens_coupling;
const Coupling givens_coupling = {
    .entry = {.name = "givens",
              .aliases = "",
              .formula = "W_b = diag(norm) R P S, R a butterfly of random rotations, P permutation, S signs",
              .summary = "orthogonal rows by layers of rotations: O(m log d) time and memory; poor for sparse x-y",
              .reference = "Genz 1998, Dao et al. 2019",
              .bias =
                  "on average over directions of x-y as orthogonal_fixed with fixed norms, none with chi; along one "
                  "coordinate (D^0.585 - 3) z^4 / 24 for small z = |x-y| / lengthscale, D the block",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .structured = true,
    .bytes = structured_bytes,
    .angles = Angles::orthogonal,
    .approximate = true,
    .largest_d = kLargestFastBlock,
    .draw = draw_structured<GivensBlocks>,
};

}  // namespace bochner
