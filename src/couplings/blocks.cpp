// SPDX-License-Identifier: Apache-2.0
#include "couplings/blocks.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/parameter.h"
#include "couplings/dense.h"
#include "couplings/haar.h"

namespace bochner {
namespace {

template <class Radius>
std::unique_ptr<Projection> draw(const DrawRequest& request, const BlockDirections& directions, const Radius& radius) {
  const std::size_t block = count(request.parameters, "block");
  Matrix<double> W(request.m, request.d);
  for (std::size_t first = 0; first < request.m; first += block)
    directions(first / block, W.view().row_range(first, std::min(first + block, request.m)));
  std::vector<double> squared_norms(request.m);
  for (std::size_t i = 0; i < request.m; ++i) {
    const double norm = radius(i, block);
    squared_norms[i] = norm * norm;
    for (double& entry : W.view().row(i)) entry *= norm;
  }
  if (block == request.d) squared_norms.clear();  // computed from the stored W
  return dense_projection(std::move(W), std::move(squared_norms));
}

}  // namespace

BlockDirections haar_directions(const DrawRequest& request) {
  return [seed = request.seed, D = count(request.parameters, "block")](std::uint64_t block, MatrixView<double> rows) {
    draw_haar_corner(seed, block, D, rows);
  };
}

std::unique_ptr<Projection> draw_blocks(const DrawRequest& request, const BlockDirections& directions) {
  return draw(request, directions,
              [&](std::size_t row, std::size_t block) { return request.law.radius(request.seed, row, block); });
}

std::unique_ptr<Projection> draw_fixed_blocks(const DrawRequest& request, const BlockDirections& directions) {
  return draw(request, directions,
              [](std::size_t, std::size_t block) { return std::sqrt(static_cast<double>(block)); });
}

}  // namespace bochner
