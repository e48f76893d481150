// SPDX-License-Identifier: Apache-2.0
#include "couplings/blocks.h"

#include <algorithm>
#include <cmath>

#include "core/parameter.h"

namespace bochner {
namespace {

template <class Radius>
Matrix<double> draw(const DrawRequest& request, const BlockDirections& directions, const Radius& radius) {
  const std::size_t block = count(request.parameters, "block");
  Matrix<double> W(request.m, request.d);
  for (std::size_t first = 0; first < request.m; first += block)
    directions(first / block, W.view().row_range(first, std::min(first + block, request.m)));
  for (std::size_t i = 0; i < request.m; ++i) {
    const double norm = radius(i, block);
    for (double& entry : W.view().row(i)) entry *= norm;
  }
  return W;
}

}  // namespace

Matrix<double> draw_blocks(const DrawRequest& request, const BlockDirections& directions) {
  return draw(request, directions,
              [&](std::size_t row, std::size_t block) { return request.law.radius(request.seed, row, block); });
}

Matrix<double> draw_fixed_blocks(const DrawRequest& request, const BlockDirections& directions) {
  return draw(request, directions,
              [](std::size_t, std::size_t block) { return std::sqrt(static_cast<double>(block)); });
}

}  // namespace bochner
