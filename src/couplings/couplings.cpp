// SPDX-License-Identifier: Apache-2.0
#include "couplings/coupling.h"

namespace bochner {

#define BOCHNER_COUPLING(name) extern const Coupling name##_coupling;
#include "couplings/couplings.def"
#undef BOCHNER_COUPLING

std::span<const Coupling* const> all_couplings() {
  static constexpr const Coupling* kTable[] = {
#define BOCHNER_COUPLING(name) &name##_coupling,
#include "couplings/couplings.def"
#undef BOCHNER_COUPLING
  };
  return kTable;
}

}  // namespace bochner
