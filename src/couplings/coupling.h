// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "bochner/registry.h"
#include "core/law.h"
#include "couplings/projection.h"

namespace bochner {

/// A way to draw the m rows of W: each row has the given law, and the coupling decides how they depend on each other.
/// A coupling is one function in a table: a new one is a file with such a constant, and a line in couplings.def.
struct Coupling {
  Entry entry;
  bool needs_isotropic;  ///< draws directions and radii apart, so the law must be radius x uniform direction
  std::size_t smallest_d;
  std::unique_ptr<Projection> (*draw)(const Law& law, std::size_t d, std::size_t m, std::uint64_t seed);
};

/// All couplings, in the order of couplings.def.
std::span<const Coupling* const> all_couplings();

}  // namespace bochner
