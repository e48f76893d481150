// SPDX-License-Identifier: Apache-2.0
// hadamard (SORF, Yu et al., 2016): blocks W_b = diag(norm) H D_1 H D_2 H D_3 on inputs padded to R^D, D = `block` a
// power of two, H the normalised Walsh-Hadamard matrix, D_i random signs, norm sqrt(D) or the law's own radius in R^D
// (`norms`). Rows of a block are exactly orthogonal in R^D, but the direction of each is only approximately uniform, so
// the estimate is biased. With fixed norms the bias is that of orthogonal_fixed, E cos(w.z) = 0F1(; D/2; -D z^2/4),
// about -z^4 e^{-z^2/2} / (4D) from the kernel; it is larger for D < 32 or x - y along few coordinates (D = 4, z = 3
// along an axis: -0.5). One round is degenerate for sparse x - y. Any m >= 1, d up to 2^20. Draw O(m), memory 3 bytes a
// row (15 with random norms), 3 m log2(D) additions per input.
#include "core/parameter.h"
#include "couplings/coupling.h"
#include "couplings/hd_product.h"
#include "couplings/parameters.h"
#include "couplings/row_factors.h"
#include "couplings/structured.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kRounds, kNorms, kFastBlock};

class HadamardBlocks final : public FastBlocks {
 public:
  HadamardBlocks(const DrawRequest& request, const BlockShape& shape)
      : product_(request.seed, shape, count(request.parameters, "rounds")),
        norms_(shape.D, row_norms(request, shape, product_.unit())) {}

  void apply(std::size_t block, MatrixView<const float> X, MatrixView<float> P, std::span<float>) const override {
    product_.apply<float>(block, X, norms_.of<float>(block), P);
  }
  void apply(std::size_t block, MatrixView<const double> X, MatrixView<double> P, std::span<double>) const override {
    product_.apply<double>(block, X, norms_.of<double>(block), P);
  }
  double longest_row() const override { return norms_.largest() / product_.unit(); }

 private:
  HdProduct product_;
  RowFactors norms_;
};

}  // namespace

extern const Coupling hadamard_coupling;
const Coupling hadamard_coupling = {
    .entry = {.name = "hadamard",
              .aliases = "sorf",
              .formula = "W_b = diag(norm) H D1 H D2 H D3, H Walsh-Hadamard, Di signs",
              .summary = "orthogonal rows by fast transforms: O(m log d) time and O(m) memory",
              .reference = "Yu et al. 2016",
              .bias = "about -z^4 e^{-z^2/2} / (4D) with fixed norms, below 0.3 % with chi (D = 64), z = |x-y| / "
                      "lengthscale, D the block; larger for D < 32 or x-y along few coordinates",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .structured = true,
    .bytes = structured_bytes,
    .angles = Angles::orthogonal,
    .approximate = true,
    .lattice = true,
    .largest_d = kLargestFastBlock,
    .draw = draw_structured<HadamardBlocks>,
};

}  // namespace bochner
