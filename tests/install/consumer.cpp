// SPDX-License-Identifier: Apache-2.0
// Somebody else's program: it sees the installed headers and library only.

#include <bochner/bochner.h>

#include <cmath>
#include <cstdio>

int main() {
  bochner::Matrix<double> X(2, 3, 0.5);
  X(1, 0) = 0.0;
  const auto features = bochner::make_features({.d = 3, .m = 4096, .seed = 1});
  bochner::Matrix<double> Z(2, features->outputs());
  features->transform(X, Z);
  double estimate = 0;
  for (std::size_t j = 0; j < Z.cols(); ++j) estimate += Z(0, j) * Z(1, j);
  std::printf("bochner %s: k(x, y) = %.4f, estimated %.4f\n", bochner::kVersion, std::exp(-0.125), estimate);
  // Independent rows: variance (1 - k^2)^2 / (2 m), standard deviation 0.0024; orthogonal rows do better. Five of them
  // are met by chance once in a million draws.
  return std::abs(estimate - std::exp(-0.125)) < 0.0122 ? 0 : 1;
}
