// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "maps/feature_map.h"

namespace bochner {

#define BOCHNER_MAP(name) extern const Map name##_map;
#include "maps/maps.def"
#undef BOCHNER_MAP

void FeatureMap::transform_scaled(const Rows<float>&, const Projection&, MatrixView<float>, std::span<float>) const {
  throw std::logic_error("a map without a log scale");
}
void FeatureMap::transform_scaled(const Rows<double>&, const Projection&, MatrixView<double>, std::span<double>) const {
  throw std::logic_error("a map without a log scale");
}

void FeatureMap::transform_log(const Rows<float>&, const Projection&, MatrixView<float>, std::span<double>) const {
  throw std::logic_error("a map without a log scale");
}
void FeatureMap::transform_log(const Rows<double>&, const Projection&, MatrixView<double>, std::span<double>) const {
  throw std::logic_error("a map without a log scale");
}

std::span<const Map* const> all_maps() {
  static constexpr const Map* kTable[] = {
#define BOCHNER_MAP(name) &name##_map,
#include "maps/maps.def"
#undef BOCHNER_MAP
  };
  return kTable;
}

}  // namespace bochner
