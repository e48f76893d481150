// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <variant>

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

Parameters fitted_parameters(const Map& map, const FitRequest& request) {
  Parameters found = map.fit(request);
  for (const auto& [name, value] : found) {
    const auto declared = std::ranges::find(map.entry.parameters, name, &Parameter::name);
    if (declared->accepts(value, request.spec.d)) continue;
    const double* number = std::get_if<double>(&value);
    throw std::invalid_argument(fmt::format(
        "X has rows too long for map '{}' in units of the lengthscale: they ask for {} = {}, but {} is expected; use a "
        "larger lengthscale, or give '{}'",
        map.entry.name, name, number != nullptr ? fmt::format("{:.3g}", *number) : "what it does not take",
        declared->allowed, name));
  }
  return found;
}

}  // namespace bochner
