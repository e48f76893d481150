// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "couplings/coupling.h"

namespace bochner {

#define BOCHNER_COUPLING(name) extern const Coupling name##_coupling;
#include "couplings/couplings.def"
#undef BOCHNER_COUPLING

double dense_bytes(std::size_t d, std::size_t m, std::size_t D) {
  const double columns = static_cast<double>(d);
  return 12 * columns * static_cast<double>(m) + (D > d ? 8 * columns * static_cast<double>(D) : 0);
}

double structured_bytes(std::size_t, std::size_t m, std::size_t D) {
  return static_cast<double>(m) * (64 + 16 * std::log2(static_cast<double>(D)));
}

std::span<const Coupling* const> all_couplings() {
  static constexpr const Coupling* kTable[] = {
#define BOCHNER_COUPLING(name) &name##_coupling,
#include "couplings/couplings.def"
#undef BOCHNER_COUPLING
  };
  return kTable;
}

}  // namespace bochner
