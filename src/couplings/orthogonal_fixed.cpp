// SPDX-License-Identifier: Apache-2.0
// orthogonal_fixed (ORF', Yu et al., 2016): blocks W_b = sqrt(D) Q_b, Q_b the first rows of a Haar matrix of R^D, D =
// `block`: orthogonal rows of equal norm. Biased, E cos(w.z) = L(sqrt(D) |z|) = 0F1(; D/2; -D z^2/4), by about -z^4
// e^{-z^2/2} / (4D), but with a smaller error than `orthogonal` for |z| below about 1.7 at m = D, since no norm adds
// noise. Only for the normal law and bounded maps: an exponential map would lose the tails of the norm. Any m >= 1,
// d >= 1. Draw O((m/D + 1) d^2 D), memory O(m d).
#include "couplings/blocks.h"
#include "couplings/coupling.h"
#include "couplings/parameters.h"

namespace bochner {
namespace {

constexpr Parameter kParameters[] = {kBlock};

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  return draw_fixed_blocks(request, haar_directions(request));
}

}  // namespace

extern const Coupling orthogonal_fixed_coupling;
const Coupling orthogonal_fixed_coupling = {
    .entry = {.name = "orthogonal_fixed",
              .aliases = "orf'",
              .formula = "W_b = sqrt(D) Q_b, Q_b Haar",
              .summary = "orthogonal rows of one norm: slightly biased, smaller error than orthogonal for near points",
              .reference = "Yu et al. 2016",
              .bias = "about -z^4 e^{-z^2/2} / (4D), z = |x-y| / lengthscale, D the block",
              .parameters = kParameters},
    .needs = LawNeed::isotropic,
    .fixed_norms = true,
    .angles = Angles::orthogonal,
    .draw = draw,
};

}  // namespace bochner
