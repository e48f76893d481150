// SPDX-License-Identifier: Apache-2.0
#include "features/resolve.h"

#include <fmt/format.h>

#include "core/available_memory.h"
#include "core/errors.h"
#include "core/parameter.h"
#include "features/best_block.h"

namespace bochner {
namespace {

/// Refuses what does not fit into memory before anything is allocated, and says how many rows would fit.
void check_memory(const Resolved& chosen) {
  const auto& [kernel, map, coupling, spec] = chosen;
  const std::size_t D = space_of(spec);
  const double most = static_cast<double>(memory_left());
  const double bytes = coupling.bytes(spec.d, spec.m, D);
  if (bytes <= most) return;
  std::size_t fits = 0, too_many = spec.m;
  while (too_many - fits > 1) {
    const std::size_t middle = fits + (too_many - fits) / 2;
    (coupling.bytes(spec.d, middle, D) <= most ? fits : too_many) = middle;
  }
  refuse("m", fmt::format("{}", spec.m),
         fmt::format("at most {}: coupling '{}' with d = {}, block = {} would need {:.3g} GiB of {:.3g} GiB{}", fits,
                     coupling.entry.name, spec.d, D, bytes / 0x1p30, most / 0x1p30,
                     coupling.structured ? "" : "; a structured coupling such as 'hadamard' needs O(m)"));
}

}  // namespace

Resolved resolve_undrawn(const Spec& spec) {
  Resolved resolved = check_spec(spec);
  Parameters& parameters = resolved.spec.parameters;
  const auto block = parameters.find("block");
  if (block != parameters.end() && is_word(block->second, "auto")) {
    block->second = static_cast<double>(best_block(resolved));
    check_block(resolved);
  }
  return resolved;
}

Resolved resolve(const Spec& spec) {
  Resolved resolved = resolve_undrawn(spec);
  check_memory(resolved);
  return resolved;
}

}  // namespace bochner
