// SPDX-License-Identifier: Apache-2.0
#include "bochner/features.h"
#include "core/parameter.h"
#include "features/composed.h"
#include "features/resolve.h"
#include "features/unfitted.h"

namespace bochner {

std::unique_ptr<Features> make_features(const Spec& spec) {
  Resolved chosen = resolve(spec);
  const auto& [kernel, map, coupling, resolved] = chosen;
  if (!missing_parameters(map.entry, resolved.parameters).empty()) return unfitted(std::move(chosen));
  const Law law = law_of(kernel, map, resolved.parameters);
  auto projection = coupling.draw({law, resolved.d, resolved.m, resolved.seed, resolved.parameters});
  const std::vector<double> norms = map.uses_norms ? projection->squared_norms() : std::vector<double>{};
  const bool padded = resolved.parameters.contains("block");
  const std::size_t D = padded ? count(resolved.parameters, "block") : resolved.d;
  auto feature_map = map.make({kernel.norm_exponent(), D, resolved.m, resolved.seed, resolved.parameters, norms});
  return compose(resolved, map, std::move(feature_map), std::move(projection));
}

}  // namespace bochner
