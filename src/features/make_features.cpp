// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "bochner/features.h"
#include "core/errors.h"
#include "features/check.h"
#include "features/composed.h"
#include "features/lookup.h"

namespace bochner {
namespace {

// W alone takes 8 m d bytes: beyond this a typing error is more likely than a machine.
constexpr std::size_t kLargestMatrix = std::size_t{1} << 40;

void check_sizes(const Spec& spec, std::size_t width) {
  if (spec.d == 0) refuse("d", "0", "a number of columns >= 1");
  if (spec.m == 0) refuse("m", "0", "a number of random directions >= 1");
  if (spec.d > kLargestMatrix / sizeof(double))
    refuse("d", fmt::format("{}", spec.d), "a number of columns such that one row of W is below 1 TiB");
  const std::size_t most =
      std::min(kLargestMatrix / sizeof(double) / spec.d, std::numeric_limits<std::size_t>::max() / width / 64);
  if (spec.m > most)
    refuse("m", fmt::format("{}", spec.m),
           fmt::format("at most {}: W of {} x {} numbers needs more than 1 TiB", most, spec.m, spec.d));
}

}  // namespace

std::unique_ptr<Features> make_features(const Spec& spec) {
  const Kernel& kernel = find_kernel(spec.kernel);
  const Map& map = find_map(spec.map);
  const Coupling& coupling = find_coupling(spec.coupling);
  check_sizes(spec, map.width);
  inverse_lengthscale(spec.lengthscale, spec.d);
  const std::string reason = misfit(kernel, map, coupling, spec.d);
  if (!reason.empty()) throw std::invalid_argument(reason);

  Spec canonical = spec;
  canonical.kernel = kernel.entry().name;
  canonical.map = map.entry.name;
  canonical.coupling = coupling.entry.name;
  return compose(std::move(canonical), map.width * spec.m, map.symmetric,
                 map.make(kernel.norm_exponent(), spec.m, spec.seed),
                 coupling.draw(law_of(kernel, map), spec.d, spec.m, spec.seed));
}

}  // namespace bochner
