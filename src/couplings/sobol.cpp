// SPDX-License-Identifier: Apache-2.0
// sobol (Sobol, 1967; the digital net of Yu et al., 2016): rows are the first m points of the Sobol sequence, scrambled
// linearly and shifted digitally, which keeps the net and makes every point uniform: each row of W has its law exactly.
// Any m, d up to the 3667 dimensions with direction numbers, product laws. Draw O(m d log m), memory O(m d).
#include <bit>

#include "core/parallel.h"
#include "couplings/coupling.h"
#include "couplings/quasi_random.h"

namespace bochner {
namespace {

constexpr std::size_t kCoordinatesPerBlock = 8;

std::unique_ptr<Projection> draw(const DrawRequest& request) {
  std::vector<NetCoordinate> net = sobol_net(request.d, static_cast<unsigned>(std::bit_width(request.m - 1)));
  parallel_for(request.d, kCoordinatesPerBlock, [&](std::size_t first, std::size_t last) {
    for (std::size_t j = first; j < last; ++j) scramble(request.seed, j, net[j]);
  });
  return project_on_cube_points(request, [&](std::size_t i, std::size_t j) { return net[j].point(i); });
}

}  // namespace

extern const Coupling sobol_coupling;
const Coupling sobol_coupling = {
    .entry = {.name = "sobol",
              .aliases = "",
              .formula = "w_ij = F^-1(coordinate j of point i of a scrambled digital net)",
              .summary = "quasi-Monte Carlo points, scrambled; error below iid for small d, never much above",
              .reference = "Yu et al. 2016"},
    .needs = LawNeed::product,
    .independent_blocks = false,
    .largest_d = kSobolDimensions,
    .draw = draw,
};

}  // namespace bochner
