// SPDX-License-Identifier: Apache-2.0
#include "bochner/features.h"
#include "features/composed.h"
#include "features/resolve.h"

namespace bochner {

std::unique_ptr<Features> make_features(const Spec& spec) {
  const auto [kernel, map, coupling, resolved] = resolve(spec);
  const Law law = law_of(kernel, map, resolved.parameters);
  auto feature_map = map.make({kernel.norm_exponent(), resolved.d, resolved.m, resolved.seed, resolved.parameters});
  auto projection = coupling.draw({law, resolved.d, resolved.m, resolved.seed, resolved.parameters});
  return compose(resolved, map.width * resolved.m, map.symmetric, std::move(feature_map), std::move(projection));
}

}  // namespace bochner
