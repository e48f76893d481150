// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "features/lookup.h"

namespace bochner {

#define BOCHNER_HYBRID(name) extern const Map name##_map;
#include "features/hybrids/hybrids.def"
#undef BOCHNER_HYBRID

std::span<const Map* const> all_hybrids() {
  static const std::vector<const Map*> table = {
#define BOCHNER_HYBRID(name) &name##_map,
#include "features/hybrids/hybrids.def"
#undef BOCHNER_HYBRID
  };
  return table;
}

}  // namespace bochner
