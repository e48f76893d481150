// SPDX-License-Identifier: Apache-2.0
#include "maps/feature_map.h"

namespace bochner {

#define BOCHNER_MAP(name) extern const Map name##_map;
#include "maps/maps.def"
#undef BOCHNER_MAP

std::span<const Map* const> all_maps() {
  static constexpr const Map* kTable[] = {
#define BOCHNER_MAP(name) &name##_map,
#include "maps/maps.def"
#undef BOCHNER_MAP
  };
  return kTable;
}

}  // namespace bochner
