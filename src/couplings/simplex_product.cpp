// SPDX-License-Identifier: Apache-2.0
#include "couplings/simplex_product.h"

#include <cmath>
#include <vector>

namespace bochner {

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

}  // namespace bochner
