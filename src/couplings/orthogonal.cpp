// SPDX-License-Identifier: Apache-2.0
// orthogonal (ORF, Yu et al., 2016): blocks W_b = diag(radius) Q_b, Q_b the first rows of a Haar matrix, so rows of one
// block are exactly orthogonal and each row keeps its law. Any m >= 1, d >= 1. Draw O(m d^2), memory O(m d).
#include "couplings/blocks.h"
#include "couplings/coupling.h"
#include "couplings/dense.h"
#include "couplings/haar.h"

namespace bochner {
namespace {

std::unique_ptr<Projection> draw(const Law& law, std::size_t d, std::size_t m, std::uint64_t seed) {
  return dense_projection(draw_blocks(
      law, d, m, seed, [seed](std::uint64_t block, MatrixView<double> rows) { draw_haar(seed, block, rows); }));
}

}  // namespace

extern const Coupling orthogonal_coupling;
const Coupling orthogonal_coupling = {
    .entry = {.name = "orthogonal",
              .aliases = "orf",
              .formula = "W_b = diag(radius) Q_b, Q_b Haar",
              .summary =
                  "orthogonal rows in blocks of d; smaller error than iid, best for trigonometric and paired maps",
              .reference = "Yu et al. 2016"},
    .needs_isotropic = true,
    .smallest_d = 1,
    .draw = draw,
};

}  // namespace bochner
