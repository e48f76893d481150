// SPDX-License-Identifier: Apache-2.0
// simplex (SimRF, Reid et al., 2023): blocks W_b = diag(radius) S R_b, where the rows of S are the r unit vectors from
// the centre of a regular simplex to its r vertices (pairwise cosine -1/(r-1)) and R_b is Haar. A full block has r = d;
// a partial block of r rows uses the r-vertex simplex (r = 2: antipodal), which beats r rows of the d-vertex one. Any m
// >= 1, d >= 2 (in one dimension a simplex of one vertex has no angle). Draw O(m d^2), memory O(m d).
#include "couplings/blocks.h"
#include "couplings/coupling.h"
#include "couplings/parameters.h"
#include "couplings/simplex_directions.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kBlock};

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  return draw_blocks(request, [haar = haar_directions(request)](std::uint64_t block, MatrixView<double> rows) {
    haar(block, rows);
    if (rows.rows() >= 2) apply_simplex(rows);
  });
}

}  // namespace

extern const Coupling simplex_coupling;
const Coupling simplex_coupling = {
    .entry = {.name = "simplex",
              .aliases = "simrf",
              .formula = "W_b = diag(radius) S R_b, S simplex vertices, R_b Haar",
              .summary = "rows of a block point to the vertices of a simplex; smallest error for single positive maps",
              .reference = "Reid et al. 2023",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .angles = Angles::simplex,
    .smallest_d = 2,
    .draw = draw,
};

}  // namespace bochner
