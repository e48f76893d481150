// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "bochner/matrix.h"
#include "core/stream.h"

namespace bochner::test {

/// n rows of d independent N(0, size^2) entries.
inline Matrix<double> normal_rows(std::size_t n, std::size_t d, double size, std::uint64_t seed) {
  Matrix<double> X(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    Stream(seed, Purpose::iid_entries).fill_normal(i, 0, X.view().row(i));
    for (double& entry : X.view().row(i)) entry *= size;
  }
  return X;
}

}  // namespace bochner::test
