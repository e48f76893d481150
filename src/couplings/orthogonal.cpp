// SPDX-License-Identifier: Apache-2.0
// orthogonal (ORF, Yu et al., 2016): blocks W_b = diag(radius) Q_b, Q_b the first rows of a Haar matrix, so rows of one
// block are exactly orthogonal and each row keeps its law. Blocks have D = `block` rows, drawn in R^D for padded
// inputs. Any m >= 1, d >= 1. Draw O((m/D + 1) d^2 D), memory O(m d).
#include "couplings/blocks.h"
#include "couplings/coupling.h"
#include "couplings/parameters.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kBlock};

std::unique_ptr<Projection> draw(const DrawRequest& request) { return draw_blocks(request, haar_directions(request)); }

}  // namespace

extern const Coupling orthogonal_coupling;
const Coupling orthogonal_coupling = {
    .entry = {.name = "orthogonal",
              .aliases = "orf",
              .formula = "W_b = diag(radius) Q_b, Q_b Haar",
              .summary =
                  "orthogonal rows in blocks of d; smaller error than iid, best for trigonometric and paired maps",
              .reference = "Yu et al. 2016",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .angles = Angles::orthogonal,
    .draw = draw,
};

}  // namespace bochner
