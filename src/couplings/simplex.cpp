// SPDX-License-Identifier: Apache-2.0
// simplex (SimRF, Reid et al., 2023): blocks W_b = diag(radius) S R_b with the r unit vectors from the centre of a regular
// simplex to its r vertices as rows of S (pairwise cosine -1/(r-1)) and R_b Haar. A full block has r = d; a partial block
// of r rows takes the r-vertex simplex (r = 2: antipodal), which beats r rows of the d-vertex one.
// Any m >= 1, d >= 2 (in one dimension a simplex of one vertex has no angle). Draw O(m d^2), memory O(m d).
#include <cmath>
#include <vector>

#include "couplings/blocks.h"
#include "couplings/coupling.h"
#include "couplings/dense.h"
#include "couplings/haar.h"

namespace bochner {
namespace {

/// Q <- S Q in O(r d), r = rows of Q >= 2, with s = sum_{i<r} q_i / sqrt(r - 1):
///   row i < r:  sqrt(r/(r-1)) q_i - (sqrt(r)+1)/(r-1) s,   row r:  s
/// ((sqrt(r)+1) is right; the sqrt(r+1) printed in Eq. 9 and Alg. 1 of the paper is neither unit nor equiangular).
void apply_simplex(MatrixView<double> Q) {
  const std::size_t r = Q.rows();
  const double n = static_cast<double>(r);
  std::vector<double> s(Q.cols(), 0.0);
  for (std::size_t i = 0; i + 1 < r; ++i)
    for (std::size_t l = 0; l < s.size(); ++l) s[l] += Q(i, l);
  for (double& entry : s) entry /= std::sqrt(n - 1);
  const double stretch = std::sqrt(n / (n - 1));
  const double pull = (std::sqrt(n) + 1) / (n - 1);
  for (std::size_t i = 0; i + 1 < r; ++i)
    for (std::size_t l = 0; l < s.size(); ++l) Q(i, l) = stretch * Q(i, l) - pull * s[l];
  for (std::size_t l = 0; l < s.size(); ++l) Q(r - 1, l) = s[l];
}

std::unique_ptr<Projection> draw(const Law& law, std::size_t d, std::size_t m, std::uint64_t seed) {
  return dense_projection(draw_blocks(law, d, m, seed, [seed](std::uint64_t block, MatrixView<double> rows) {
    draw_haar(seed, block, rows);
    if (rows.rows() >= 2) apply_simplex(rows);
  }));
}

}  // namespace

extern const Coupling simplex_coupling;
const Coupling simplex_coupling = {
    .entry = {.name = "simplex",
              .aliases = "simrf",
              .formula = "W_b = diag(radius) S R_b, S simplex vertices, R_b Haar",
              .summary = "rows of a block point to the vertices of a simplex; smallest error for single positive maps",
              .reference = "Reid et al. 2023"},
    .needs_isotropic = true,
    .smallest_d = 2,
    .draw = draw,
};

}  // namespace bochner
