// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bochner/matrix.h"
#include "couplings/coupling.h"

namespace bochner::test {

/// What the coupling draws; parameters that are not given are at what holds then.
inline std::unique_ptr<Projection> draw(std::string_view name, const Law& law, std::size_t d, std::size_t m,
                                        std::uint64_t seed, Parameters parameters = {}) {
  for (const Coupling* coupling : all_couplings()) {
    if (coupling->entry.name != name) continue;
    for (const Parameter& parameter : coupling->entry.parameters)
      parameters.emplace(parameter.name, parameter.fallback(d));
    return coupling->draw({law, d, m, seed, parameters});
  }
  throw std::invalid_argument(std::string(name));
}

/// <row i, row j> of W.
inline double inner(const Matrix<double>& W, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < W.cols(); ++k) sum += W(i, k) * W(j, k);
  return sum;
}

}  // namespace bochner::test
