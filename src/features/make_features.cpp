// SPDX-License-Identifier: Apache-2.0
#include "bochner/features.h"
#include "features/composed.h"
#include "features/resolve.h"
#include "features/unfitted.h"

namespace bochner {

std::unique_ptr<Features> make_features(const Spec& spec) {
  Resolved chosen = resolve(spec);
  const auto& [kernel, map, coupling, resolved] = chosen;
  if (!missing_parameters(map.entry, resolved.parameters).empty()) return unfitted(std::move(chosen));
  if (map.compose != nullptr) return map.compose(resolved);
  const Law law = law_of(kernel, map, resolved.parameters);
  auto projection = coupling.draw({law, resolved.d, resolved.m, resolved.seed, resolved.parameters});
  auto feature_map = map.make({kernel.norm_exponent(), space_of(resolved), resolved.m, resolved.seed,
                               resolved.parameters, *projection, resolved.d, resolved.lengthscale});
  return compose(resolved, map, std::move(feature_map), std::move(projection));
}

}  // namespace bochner
