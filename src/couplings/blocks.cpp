// SPDX-License-Identifier: Apache-2.0
#include "couplings/blocks.h"

#include <algorithm>

namespace bochner {

Matrix<double> draw_blocks(const Law& law, std::size_t d, std::size_t m, std::uint64_t seed,
                           const std::function<void(std::uint64_t block, MatrixView<double> rows)>& directions) {
  Matrix<double> W(m, d);
  for (std::size_t first = 0; first < m; first += d)
    directions(first / d, W.view().row_range(first, std::min(first + d, m)));
  for (std::size_t i = 0; i < m; ++i) {
    const double radius = law.radius(seed, i, d);
    for (double& entry : W.view().row(i)) entry *= radius;
  }
  return W;
}

}  // namespace bochner
