// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "bochner/spec.h"
#include "features/lookup.h"

namespace bochner {

/// A spec that has been checked, with canonical names and every parameter of its kernel, map and coupling at its value.
struct Resolved {
  const Kernel& kernel;
  const Map& map;
  const Coupling& coupling;
  Spec spec;
};

/// Throws std::invalid_argument with a sentence for everything that cannot be made.
Resolved resolve(const Spec& spec);

/// The same for closed forms, which draw no rows: any d and m, whatever memory holds.
Resolved resolve_undrawn(const Spec& spec);

/// D, the dimension in which the rows of W are drawn: d, or the block of a resolved spec.
std::size_t space_of(const Spec& spec);

/// The kernel's parameters, given ones checked and the others at what holds when they are not given.
Parameters complete_parameters(const Kernel& kernel, const Parameters& given, std::size_t d);

}  // namespace bochner
